import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runChild, startChild} from '../support/child.js';
import {countOf, fleetDirectory, namesFrom, rowsOf} from '../support/fleet-directory.js';
import {killLiveChildren, liveChild} from '../support/live-child.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {closeThirdPartyServices} from '../support/third-party-service.js';
import {tokenService} from '../support/token-service.js';

describe('the process of connector activate --from', () => {
  const at = temporaryDirectory();
  afterEach(async () => {
    await killLiveChildren();
    await closeThirdPartyServices();
  });

  const {out, files, list, argv, options} = fleetDirectory(at);
  const run = async (url: string, from: string, ...more: string[]) => {
    const ended = await runChild(argv(from, '-o', 'ndjson', ...more), options(url));
    return {...ended, rows: ended.code === 2 ? [] : rowsOf(ended.stdout)};
  };

  describe('when it is interrupted', () => {
    it('finishes the rows under way after Ctrl-C, and then exits 130', async () => {
      let arrived = () => {};
      const asked = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const held: (() => void)[] = [];
      const service = await tokenService({
        before(request, response) {
          if (!request.path.endsWith('/activate') || held.length >= 4) return false;
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
      const from = list('name', ...namesFrom(20));
      const command = liveChild(argv(from, '-o', 'ndjson'), options(service.url));
      await asked;
      command.signal('SIGINT');
      await command.until(/Finishing the machines under way/);
      for (const respond of held) respond();
      expect(await command.ended()).to.deep.equal({code: null, signal: 'SIGINT'});
      expect(command.stderr()).to.include('run the same command again');
      expect(countOf(rowsOf(command.stdout()))).to.deep.equal({activated: 4, skipped: 16});
      expect(service.connectors).to.have.property('size', 4);
      expect(files()).to.have.length(4);
    });
  });

  describe('beside another process', () => {
    it('lets one of two runs into a directory win, and gives the other a clear error', async () => {
      const held: (() => void)[] = [];
      let arrived = () => {};
      const asked = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const service = await tokenService({
        before(request, response, index) {
          if (index > 0) return false;
          held.push(() => response.writeHead(503, {'retry-after': '1'}).end());
          arrived();
          return request !== undefined;
        },
      });
      const from = list('name', 'a', 'b');
      const first = startChild(argv(from, '-o', 'ndjson'), options(service.url));
      await asked;
      const second = await run(service.url, from);
      expect(second.code).to.equal(2);
      expect(second.stderr).to.include(`Process ${first.process.pid}`).and.include('machines.csv');
      const single = await runChild(
        [
          ...['connector', 'activate', '--name', 'x', '--token', 'a-token'],
          ...['--credentials-file', join(out(), 'a.json')],
        ],
        options(service.url),
      );
      expect(single.code).to.equal(2);
      expect(single.stderr).to.include(`Process ${first.process.pid}`);
      for (const respond of held) respond();
      const {code, stdout} = await first.ended;
      expect(code).to.equal(0);
      expect(countOf(rowsOf(stdout))).to.deep.equal({activated: 2});
      expect([...service.connectors.values()].sort()).to.deep.equal(['a', 'b']);
    });

    it('stops when the disk is full, loses nothing, and continues when there is room', async () => {
      const service = await tokenService();
      const from = list('name', ...namesFrom(100));
      mkdirSync(out());
      const report = ['--report', `json=${at('report.json')}`];
      const full = await runChild(argv(from, '-o', 'ndjson', ...report), {
        ...options(service.url, {
          NODE_OPTIONS: `--require=${join(root, 'test/support/disk-without-room.cjs')}`,
          // The first room of the journal, and seven files.
          TEST_DISK_ROOM: String(64 + 7),
        }),
      });
      expect(full.code).to.equal(2);
      expect(full.stderr).to.include('ENOSPC');
      const {findings} = JSON.parse(readFileSync(at('report.json'), 'utf8'));
      expect(findings[0]).to.include({id: 'directory', subject: out(), status: 'error'});
      const {activated = 0, failed = 0, skipped = 0} = countOf(rowsOf(full.stdout));
      expect(activated).to.equal(service.connectors.size);
      expect(activated + failed + skipped).to.equal(100);
      expect(activated).to.be.above(0);
      // No token is created without room for its credentials.
      expect(service.tokens.size).to.equal(activated);
      const again = await run(service.url, from);
      expect(again.code).to.equal(0);
      expect(service.connectors.size).to.equal(100);
      expect(files()).to.have.length(100);
    });
  });
});
