import {expect} from 'chai';
import {countOf, fleetDirectory, namesFrom, rowsOf} from '../../support/command/fleet-directory.js';
import {nodeWarning, runChild, shownKey, startServe} from '../../support/process/child.js';
import {liveChild} from '../../support/process/live-child.js';
import {tokenService} from '../../support/services/token.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('the process of connector enroll', () => {
  const at = temporaryDirectory();

  const {files, list, argv, options} = fleetDirectory(at);

  describe('when it is interrupted', () => {
    /** A service that holds back four activations until it releases them. */
    const holdingService = async () => {
      let arrived = () => {};
      const asked = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const held: (() => void)[] = [];
      const service = await tokenService({
        before(request, response) {
          if (!request.path.endsWith('/activate') || held.length === 4) return false;
          const {token, name} = JSON.parse(request.body);
          held.push(() => {
            (service.connectors as Map<string, string>).set(token, name);
            response.writeHead(201, {'content-type': 'application/json'});
            response.end(JSON.stringify({id: `id-of-${name}`, name}));
          });
          if (held.length === 4) arrived();
          return true;
        },
      });
      const release = () => {
        for (const respond of held) respond();
      };
      return {service, asked, release};
    };

    for (const signal of ['SIGINT', 'SIGHUP'] as const) {
      it(`ends at once on ${signal}, dies of it, and the next run finishes what was open`, async () => {
        const {service, asked, release} = await holdingService();
        const from = list('name', ...namesFrom(20));
        const command = liveChild(argv(from, '--json'), options(service.url));
        await asked;
        command.signal(signal);
        expect(await command.ended()).to.deep.equal({code: null, signal});
        expect(command.stderr()).to.include('run the same command again');
        expect(countOf(rowsOf(command.stdout()))).to.deep.equal({uncertain: 4, skipped: 16});
        expect(files()).to.deep.equal(namesFrom(4).map((name) => `${name}.json.pending`));
        release();
      });
    }
  });

  it('causes no warning of Node.js with 64 machines at once, neither its own nor of the service', async () => {
    const sandbox = await startServe(['--sandbox']);
    const env = {CONNECTORCTL_API_KEY: await shownKey(sandbox)};
    const words = argv(list('name', ...namesFrom(80)), '--parallel', '64');
    const {code, stderr} = await runChild(words, options(sandbox.url, env));
    expect(code, stderr).to.equal(0);
    expect(stderr + sandbox.stderr()).not.to.match(nodeWarning);
  });

  describe('beside another process', () => {
    it('activates each machine once when several runs use one directory at the same time', async () => {
      const service = await tokenService();
      const from = list('name', ...namesFrom(12));
      const runs = await Promise.all(
        Array.from({length: 3}, () => runChild(argv(from, '--json'), options(service.url))),
      );
      const counts = {activated: 0, already: 0};
      for (const {code, stdout, stderr} of runs) {
        expect(code, stderr).to.equal(0);
        for (const [result, count] of Object.entries(countOf(rowsOf(stdout)))) {
          counts[result as keyof typeof counts] += count;
        }
      }
      expect(counts).to.deep.equal({activated: 12, already: 24});
      expect([...service.connectors.values()].sort()).to.deep.equal(namesFrom(12).sort());
      expect(files()).to.have.length(12);
    });
  });
});
