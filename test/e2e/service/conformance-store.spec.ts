import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runChild, type Service, startService} from '../../support/process/child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

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
});
