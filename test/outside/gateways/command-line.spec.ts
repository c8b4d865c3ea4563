import {existsSync, readFileSync} from 'node:fs';
import {expect} from 'chai';
import {firstKeyFile, runChild, type Service, startService} from '../../support/process/child.js';
import {liveChild} from '../../support/process/live-child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {describeWith} from '../installed.js';
import {
  type Gateway,
  type GatewayName,
  gateways,
  type RunningGateway,
  startGateway,
} from './gateways.js';

for (const name of Object.keys(gateways) as GatewayName[]) {
  const {hasTls, reload}: Gateway = gateways[name];
  if (hasTls) continue;

  describeWith([name], `the command line behind ${name}`, () => {
    const at = temporaryDirectory();
    let service: Service;
    let gateway: RunningGateway;
    let env: Record<string, string>;

    beforeEach(async () => {
      service = await startService(at('store'));
      gateway = await startGateway(name, Number(new URL(service.url).port));
      const key = await firstKeyFile(service);
      env = {CONNECTORCTL_BASE_URL: gateway.url, CONNECTORCTL_API_KEY_FILE: key};
      const {stdout} = await runChild(['token', 'create', '--json'], {env});
      env['CONNECTORCTL_ACTIVATION_TOKEN'] = JSON.parse(stdout).token;
    });
    afterEach(async () => {
      await gateway?.close();
      await service?.stop();
    });

    const file = () => at('web-1.json');
    const activate = () =>
      runChild(['connector', 'activate', '--credentials-file', file(), '--name', 'web-1'], {env});
    const run = () =>
      liveChild(['connector', 'run', '--credentials-file', file(), '--every', '1s'], {env: {}});
    const again = (text: string, times: number) => new RegExp(`(${text}.*){${times}}`, 's');

    it('activates into a file and sends heartbeats across a reload', async () => {
      const activated = activate();
      if (reload !== undefined) await gateway.reload();
      const {code, stderr} = await activated;
      expect(code, stderr).to.equal(0);
      const child = run();
      await child.until(/online/);
      await gateway.reload();
      await child.until(again('online', 4));
      if (reload !== undefined) expect(child.stderr()).to.equal('');
      child.signal('SIGTERM');
      expect(await child.ended()).to.include({code: 0});
    });

    if (name === 'caddy') {
      const rename = () => gateway.reload('http://127.0.0.1:', 'http://renamed.test:');

      it('completes no file at a renamed site, tells why, and finishes once it is back', async () => {
        await rename();
        const lost = await activate();
        expect(lost.stderr).to.include('Caddy');
        expect(existsSync(file())).to.equal(false);
        await gateway.reload();
        const {code, stderr} = await activate();
        expect(code, stderr).to.equal(0);
        expect(JSON.parse(readFileSync(file(), 'utf8'))).to.include({name: 'web-1'});
      });

      it('reports a renamed site as a failure, and goes on', async () => {
        await activate();
        const child = run();
        await child.until(/online/);
        await rename();
        await child.until(/failing: .*it is empty, unlike earlier ones; Caddy in between/);
        await gateway.reload();
        await child.until(/accepted again after/);
      });
    }
  });
}
