import {EventEmitter, once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {closedPort} from '../../support/network/ports.js';
import {liveChild} from '../../support/process/live-child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {daemons} from '../daemons.js';
import {describeWith} from '../installed.js';
import {run} from '../run.js';

// promtool 2.42 (Debian 12).
describeWith(['prometheus'], 'the rules of contrib', () => {
  it('pass promtool and its unit tests', async () => {
    await run('promtool', 'check', 'rules', join(root, 'contrib/prometheus/alerts.yml'));
    await run('promtool', 'test', 'rules', join(root, 'test/outside/formats/alerts.test.yml'));
  });
});

// Prometheus 2.42 and Alertmanager 0.25 (Debian 12), with the rules of contrib and an alert that has `for: 1m`.
describeWith(['prometheus', 'alertmanager'], 'serve scraped by Prometheus', () => {
  const at = temporaryDirectory();
  const {listen} = daemons();

  /** Starts `serve` at a port, and waits until it listens. */
  async function serve(port: number) {
    const child = liveChild(['serve', '--port', `${port}`, '--store', at('store')]);
    await child.until(/\n/, ['stdout']);
    return child;
  }

  /** A receiver of Alertmanager, which emits the status and name of each alert. */
  async function receiver() {
    const alerts = new EventEmitter();
    const {url} = await thirdPartyService((request, response, index) => {
      json({})(request, response, index);
      for (const {status, labels} of JSON.parse(request.body).alerts)
        alerts.emit(`${status} ${labels.alertname}`, labels);
    });
    return {url, alerts};
  }

  it('has its metrics there, and an alert that it is down, and that it is up again, with a receiver', async () => {
    const [port, prometheus, alertmanager] = [
      await closedPort(),
      await closedPort(),
      await closedPort(),
    ];
    const {url, alerts} = await receiver();
    writeFileSync(
      at('alertmanager.yml'),
      `route: {receiver: test, group_wait: 0s, group_interval: 1s}
receivers: [{name: test, webhook_configs: [{url: '${url}'}]}]\n`,
    );
    writeFileSync(
      at('prometheus.yml'),
      `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: ['${join(root, 'contrib', 'prometheus', 'alerts.yml')}']
alerting: {alertmanagers: [{static_configs: [{targets: ['127.0.0.1:${alertmanager}']}]}]}
scrape_configs: [{job_name: connectorctl, static_configs: [{targets: ['127.0.0.1:${port}']}]}]\n`,
    );
    const service = await serve(port);
    await listen(alertmanager, [
      'prometheus-alertmanager',
      `--config.file=${at('alertmanager.yml')}`,
      `--storage.path=${at('alerts')}`,
      `--web.listen-address=127.0.0.1:${alertmanager}`,
      '--cluster.listen-address=',
    ]);
    await listen(prometheus, [
      'prometheus',
      `--config.file=${at('prometheus.yml')}`,
      `--storage.tsdb.path=${at('series')}`,
      `--web.listen-address=127.0.0.1:${prometheus}`,
    ]);
    const query = async (expression: string) => {
      const api = `http://127.0.0.1:${prometheus}/api/v1/query?query=`;
      const answer = await fetch(`${api}${encodeURIComponent(expression)}`);
      return ((await answer.json()) as {data?: {result: {value: unknown[]}[]}}).data?.result ?? [];
    };
    while ((await query('up == 1')).length === 0) await delay(100);
    const series = await query('count({__name__=~"connectorctl_.*"})');
    expect(Number(series[0]?.value[1])).to.be.above(20);

    const fired = once(alerts, 'firing ConnectorctlDown');
    service.signal('SIGTERM');
    const [labels] = await fired;
    expect(labels).to.deep.include({instance: `127.0.0.1:${port}`, severity: 'critical'});
    const ended = once(alerts, 'resolved ConnectorctlDown');
    await serve(port);
    await ended;
  });
});
