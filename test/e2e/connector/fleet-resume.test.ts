import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {rowsOf} from '../../support/command/fleet-directory.js';
import {runCli} from '../../support/command/run-cli.js';
import {type Service, shownKey, startServe} from '../../support/process/child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('connector enroll, run again after lost requests', () => {
  const at = temporaryDirectory();
  let service: Service;
  let env: Readonly<Record<string, string>>;

  beforeEach(async () => {
    service = await startServe(['--sandbox', '--seed', '1', '--log-level', 'silent'], {home: at()});
    env = {CONNECTORCTL_BASE_URL: service.url, CONNECTORCTL_API_KEY: await shownKey(service)};
    writeFileSync(at('machines.csv'), 'name\na\nb\nc\n');
  });

  const control = async (path: string, body: object) =>
    fetch(`${service.url}/_sandbox/${path}`, {method: 'POST', body: JSON.stringify(body)});
  const activate = async () => {
    const {code, stdout} = await runCli(
      [
        ...['connector', 'enroll', at('machines.csv'), '--credentials-dir', at('out')],
        ...['--json', '--retries', '0'],
      ],
      {env},
    );
    return {
      code,
      results: rowsOf(stdout)
        .map(({result}) => result)
        .sort(),
    };
  };
  const names = async () => {
    const {stdout} = await runCli(['connector', 'list', '--json'], {env});
    return (JSON.parse(stdout) as {name: string}[]).map(({name}) => name).sort();
  };

  it('finishes machines whose response was lost, with the same Idempotency-Key', async () => {
    await control('faults', {spec: 'activate:drop-response@2x'});
    expect(await activate()).to.deep.equal({
      code: 9,
      results: ['activated', 'uncertain', 'uncertain'],
    });
    expect(await activate()).to.deep.equal({
      code: 0,
      results: ['activated', 'activated', 'already'],
    });
    expect(await names()).to.deep.equal(['a', 'b', 'c']);
  });

  it('activates with new tokens when the old ones expired and no connector exists', async () => {
    await control('faults', {spec: 'activate:reset@2x'});
    expect((await activate()).results).to.deep.equal(['activated', 'uncertain', 'uncertain']);
    await control('advance', {seconds: 3600});
    expect(await activate()).to.deep.equal({
      code: 0,
      results: ['activated', 'activated', 'already'],
    });
    expect(await names()).to.deep.equal(['a', 'b', 'c']);
  });

  it('leaves machines uncertain when the response can no longer be repeated', async () => {
    await control('faults', {spec: 'activate:drop-response@2x'});
    await activate();
    await control('advance', {seconds: 2 * 3600});
    for (let run = 0; run < 2; run += 1) {
      expect(await activate()).to.deep.equal({
        code: 9,
        results: ['already', 'uncertain', 'uncertain'],
      });
    }
    expect(await names()).to.deep.equal(['a', 'b', 'c']);
  });
});
