import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runChild, type Service, startService} from '../../support/process/child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

/** The store's files, without the lines about the last use of a key. */
function files(directory: string) {
  return readdirSync(directory, {withFileTypes: true})
    .filter((entry) => entry.isFile())
    .map(({name}) => {
      const lines = readFileSync(join(directory, name), 'utf8').split('\n');
      return {
        name,
        lines: lines.filter(
          (line) => !/^\{"crc":"\w+","apiKeys":\[[^[\]]*"lastUsedAt":\d+\}\]\}$/.test(line),
        ),
      };
    });
}

describe('conformance of the reference service', function () {
  this.timeout(180_000);
  const at = temporaryDirectory();
  let location: string;
  let service: Service;

  beforeEach(async () => {
    location = at('store');
    service = await startService(location, ['--token-ttl=1m']);
    const create = (organization: string) =>
      runChild(['key', 'create', '--json', '--store', location, '--organization', organization]);
    writeFileSync(at('second'), JSON.parse((await create('other')).stdout).api_key);
    const revoked = JSON.parse((await create('default')).stdout);
    const {code} = await runChild(['key', 'revoke', '--store', location, revoked.id]);
    expect(code).to.equal(0);
    writeFileSync(at('revoked'), revoked.api_key);
  });

  const env = () => ({
    CONNECTORCTL_BASE_URL: service.url,
    CONNECTORCTL_API_KEY_FILE: join(location, 'first-api-key'),
    CONNECTORCTL_SECOND_API_KEY_FILE: at('second'),
    CONNECTORCTL_REVOKED_API_KEY_FILE: at('revoked'),
  });
  const conformance = async (...flags: readonly string[]) => {
    const run = await runChild(['conformance', '--json', ...flags], {env: env()});
    return {code: run.code, stderr: run.stderr, ...JSON.parse(run.stdout)};
  };
  const skipped = ({findings}: {findings: {id: string; status: string}[]}) =>
    findings.filter(({status}) => status === 'skip').map(({id}) => id);

  it('holds every check, with --writes-to, and names the line that removes its connectors', async () => {
    const report = await conformance(
      ...['--strict', '--skip', '4.1/expires'],
      ...['--writes-to', '127.0.0.1'],
    );
    expect({code: report.code, verdict: report.verdict}).to.deep.equal({
      code: 0,
      verdict: 'pass',
    });
    expect(skipped(report)).to.deep.equal([]);
    const [, line = ''] =
      /^To remove .*: connectorctl (store remove .* --yes)$/m.exec(report.stderr) ?? [];
    const words = line.replaceAll("'", '').split(' ');
    const removal = await runChild([...words, '--json', '--store', location]);
    expect(removal.code, removal.stderr).to.equal(0);
    expect(JSON.parse(removal.stdout).connectors).not.to.deep.equal([]);
    const left = await runChild(['connector', 'list', '--json'], {env: env()});
    expect(JSON.parse(left.stdout)).to.deep.equal([]);
  });

  it('leaves the same records, without --writes-to', async () => {
    const token = (await runChild(['token', 'create'], {env: env()})).stdout.trim();
    const activated = await runChild(['connector', 'activate', '--name', 'web-1'], {
      env: {...env(), CONNECTORCTL_ACTIVATION_TOKEN: token},
    });
    expect(activated.code, activated.stderr).to.equal(0);
    const before = files(location);
    const report = await conformance();
    expect({code: report.code, verdict: report.verdict}).to.deep.equal({
      code: 0,
      verdict: 'pass',
    });
    expect(files(location)).to.deep.equal(before);
  });
});
