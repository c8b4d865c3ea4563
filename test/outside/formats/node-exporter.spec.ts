import {expect} from 'chai';
import {runCommand} from '../../support/command/run-command.js';
import {closedPort} from '../../support/network/ports.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';
import {daemons} from '../daemons.js';
import {describeWith} from '../installed.js';

/**
 * What node_exporter reads (Debian 12, 1.5.0): of a series in two files, it keeps that of the file whose name sorts first,
 * and answers 200 without an error metric.
 */
describeWith(['nodeExporter'], 'the reports of several checks for node_exporter', () => {
  const at = temporaryDirectory();
  const {listen} = daemons();

  async function scrape(): Promise<string> {
    const port = await closedPort();
    await listen(port, [
      'prometheus-node-exporter',
      ...['--collector.disable-defaults', '--collector.textfile'],
      ...[`--collector.textfile.directory=${at()}`, `--web.listen-address=127.0.0.1:${port}`],
    ]);
    return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  }

  /** Checks a fleet, and writes the report into the directory. */
  async function check(file: string, status: string, ...flags: readonly string[]) {
    const fleet = ['web-1', 'db-1'].map((name) => ({id: `c-${name}`, name, status}));
    const {url} = await thirdPartyService(json(fleet));
    const report = `prometheus=${at(file)}`;
    const argv = ['connector', 'check', '--base-url', url, '--report', report, ...flags];
    await runCommand(argv, {CONNECTORCTL_API_KEY: organizationKey()});
    return url;
  }

  it('are all read when the services differ, the red one too although its file comes last', async () => {
    const green = await check('a.prom', 'online');
    const red = await check('z.prom', 'offline');
    const metrics = await scrape();
    expect(metrics).to.include(`connectorctl_check_success{service="${green}"} 1\n`);
    expect(metrics).to.include(`connectorctl_check_success{service="${red}"} 0\n`);
    expect(metrics).to.match(/^connectorctl_check_finding\{[^}]*id="c-db-1"[^}]*\} 1$/m);
    expect(metrics).to.include('node_textfile_scrape_error 0\n');
  });

  it('are all read when one service is checked by --name, and one check cannot start', async () => {
    await check('a.prom', 'online', '--name', 'web-*');
    await check('z.prom', 'online', '--name', 'db-*', '--expect', at('none.csv'));
    const metrics = await scrape();
    expect(metrics).to.match(/^connectorctl_check_success\{name="web-\*",service="http.*"\} 1$/m);
    expect(metrics).to.match(
      /^connectorctl_check_success\{inventory=".*none.csv",name="db-\*",service="http.*"\} 0$/m,
    );
  });
});
