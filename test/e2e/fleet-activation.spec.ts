import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect} from 'chai';
import {runChild, startChild} from '../support/child.js';
import {countOf, fleetDirectory, namesFrom, rowsOf} from '../support/fleet-directory.js';
import {killLiveChildren, liveChild} from '../support/live-child.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {closeThirdPartyServices} from '../support/third-party-service.js';
import {tokenService} from '../support/token-service.js';
import {unprivileged} from '../support/unprivileged.js';

describe('the process of connector enroll', () => {
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
    /** A service that holds back four activations, after the first ones, until it releases them. */
    const holdingService = async (first: number) => {
      let arrived = () => {};
      const asked = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const held: (() => void)[] = [];
      let activations = 0;
      const service = await tokenService({
        before(request, response) {
          if (!request.path.endsWith('/activate')) return false;
          activations += 1;
          if (activations <= first || held.length === 4) return false;
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
      return {service, asked, release, activations: () => activations};
    };

    for (const [what, signal] of [
      ['Ctrl-C, and then dies of SIGINT', 'SIGINT'],
      ['the loss of its terminal, and then dies of SIGHUP', 'SIGHUP'],
    ] as const) {
      it(`finishes the rows in progress after ${what}`, async () => {
        const {service, asked, release} = await holdingService(0);
        const from = list('name', ...namesFrom(20));
        const command = liveChild(argv(from, '-o', 'ndjson'), options(service.url));
        await asked;
        command.signal(signal);
        await command.until(/Finishing the machines in progress/);
        release();
        expect(await command.ended()).to.deep.equal({code: null, signal});
        expect(command.stderr()).to.include('run the same command again');
        expect(countOf(rowsOf(command.stdout()))).to.deep.equal({activated: 4, skipped: 16});
        expect(service.connectors).to.have.property('size', 4);
        expect(files()).to.have.length(4);
      });
    }

    it('reads the responses that came while it was stopped', async () => {
      const {service, asked, release, activations} = await holdingService(4);
      const from = list('name', ...namesFrom(8));
      const words = argv(from, '-o', 'ndjson', '--timeout', '1s');
      const {process: child, ended} = startChild(words, options(service.url));
      await asked;
      child.kill('SIGSTOP');
      release();
      await sleep(1500);
      child.kill('SIGCONT');
      const {code, stdout} = await ended;
      expect(countOf(rowsOf(stdout))).to.deep.equal({activated: 8});
      expect(code).to.equal(0);
      expect(activations()).to.equal(8);
    });
  });

  describe('without a reader of its output', () => {
    it('finishes the rows in progress, writes its report, and exits 9 with -o ndjson', async () => {
      let isGone = () => {};
      const gone = new Promise<void>((resolve) => {
        isGone = resolve;
      });
      const service = await tokenService({
        before(request, response) {
          if (JSON.parse(request.body || '{}').name !== 'm-2') return false;
          void gone.then(() => {
            (service.connectors as Map<string, string>).set('token-of-m-2', 'm-2');
            response.writeHead(201, {'content-type': 'application/json'});
            response.end(JSON.stringify({id: 'id-of-m-2', name: 'm-2'}));
          });
          return true;
        },
      });
      const from = list('name', ...namesFrom(50));
      const report = ['--report', `json=${at('report.json')}`, '--parallel', '1'];
      const command = liveChild(argv(from, '-o', 'ndjson', ...report), options(service.url));
      await command.until(/"m-1"/);
      command.closeStdout();
      isGone();
      expect(await command.ended()).to.deep.equal({code: 9, signal: null});
      expect(command.stderr()).to.match(
        /broken pipe \(EPIPE\)\. Finishing .*\n {2}To continue, run the same/,
      );
      expect(files().filter((name) => !name.endsWith('.json'))).to.deep.equal([]);
      expect(files()).to.have.length(service.connectors.size);
      expect(files().length).to.be.within(2, 49);
      const {counts} = JSON.parse(readFileSync(at('report.json'), 'utf8'));
      expect(counts).to.include({pass: files().length, skip: 50 - files().length});
    });

    it('exits with the code of its verdict when only the table is lost', async () => {
      const service = await tokenService();
      const from = list('name', ...namesFrom(3));
      for (const [number, code] of [
        [1, 0],
        [2, 9],
      ] as const) {
        const lines = number === 1 ? from : list('name', ...namesFrom(3), 'foreign');
        const command = liveChild(argv(lines), options(service.url));
        command.closeStdout();
        expect(await command.ended()).to.deep.equal({code, signal: null});
        expect(command.stderr()).not.to.include('EPIPE');
        writeFileSync(join(out(), 'foreign.json'), 'somebody else');
      }
    });

    it('activates all machines and exits 2 when the disk for its table is full', async function () {
      if (!existsSync('/dev/full')) this.skip();
      const service = await tokenService();
      const words = argv(list('name', ...namesFrom(3)), '--report', `json=${at('report.json')}`);
      const {code, stderr} = await runChild(words, {
        ...options(service.url),
        under: ['sh', '-c', 'exec "$@" > /dev/full', 'sh'],
      });
      expect(code).to.equal(2);
      expect(stderr).to.include('Cannot write the output: no space left on device (ENOSPC).');
      expect(files()).to.have.length(3);
      expect(existsSync(at('report.json'))).to.equal(true);
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
      // One row at a time: the first request is of the row a.
      const words = argv(from, '-o', 'ndjson', '--timeout', '60s', '--parallel', '1');
      const first = startChild(words, options(service.url));
      await asked;
      const {code: second, stderr} = await runChild(argv(from), options(service.url));
      expect(second, stderr).to.equal(6);
      expect(stderr).to.include(`Process ${first.process.pid}`).and.include('machines.csv');
      for (const respond of held) respond();
      const {code, stdout} = await first.ended;
      expect(code).to.equal(0);
      expect(countOf(rowsOf(stdout))).to.deep.equal({activated: 2});
      expect([...service.connectors.values()].sort()).to.deep.equal(['a', 'b']);
    });

    it('says why it cannot read the files of another user, which may hold credentials', async function () {
      if (process.platform !== 'linux') this.skip();
      const service = await tokenService();
      const from = list('name', 'a', 'b');
      await run(service.url, from);
      chmodSync(join(out(), 'a.json'), 0);
      writeFileSync(join(out(), 'c.json.pending'), '{}', {mode: 0});
      const again = await runChild(argv(list('name', 'a', 'b', 'c'), '-o', 'ndjson'), {
        ...options(service.url),
        under: unprivileged,
      });
      expect(again.code).to.equal(9);
      const rows = rowsOf(again.stdout);
      expect(countOf(rows)).to.deep.equal({already: 1, failed: 2});
      for (const [name, file] of [
        ['a', 'a.json'],
        ['c', 'c.json.pending'],
      ] as const) {
        expect(rows.find((row) => row.name === name)?.error?.message).to.equal(
          `${join(out(), file)} cannot be read: permission denied (EACCES); nothing was sent.`,
        );
      }
    });

    it('stops when the disk is full, loses nothing, and continues when there is room', async () => {
      const service = await tokenService();
      const from = list('name', ...namesFrom(100));
      mkdirSync(out());
      const report = ['--report', `json=${at('report.json')}`];
      const full = await runChild(argv(from, '-o', 'ndjson', ...report), {
        ...options(service.url, {
          NODE_OPTIONS: `--require="${join(root, 'test/support/disk-without-room.cjs')}"`,
          // Four rows in progress, and some files.
          TEST_DISK_ROOM: String(4 * 9 + 17),
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
