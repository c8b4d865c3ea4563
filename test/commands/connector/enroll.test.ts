import {existsSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {headers} from '../../../src/contract/headers.js';
import {countOf, fleetDirectory, namesFrom, rowsOf} from '../../support/command/fleet-directory.js';
import {runCli} from '../../support/command/run-cli.js';
import {tokenService} from '../../support/services/token.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const keyOf = (name: string) => `key-of-${name}`;

describe('connector enroll', () => {
  const at = temporaryDirectory();

  const {out, files, list, argv, options} = fleetDirectory(at);
  const credentials = (name: string) => JSON.parse(readFileSync(join(out(), name), 'utf8'));
  const run = async (url: string, from: string, ...more: string[]) => {
    const report = at('report.json');
    rmSync(report, {force: true});
    const ended = await runCli(argv(from, '--report', `json=${report}`, ...more), options(url));
    return {...ended, rows: ended.code === 2 ? [] : rowsOf(readFileSync(report, 'utf8'))};
  };

  describe('with a list of machines', () => {
    it('writes a credentials file for each machine that only its owner can read', async () => {
      const service = await tokenService();
      const {code, rows} = await run(service.url, list('name,file', 'a,', 'b,second.json'));
      expect(code).to.equal(0);
      expect(rows.map(({name, result, id}) => [name, result, id])).to.have.deep.members([
        ['a', 'activated', 'id-of-a'],
        ['b', 'activated', 'id-of-b'],
      ]);
      expect(files()).to.deep.equal(['a.json', 'second.json']);
      expect(credentials('second.json')).to.include({name: 'b', api_key: 'key-of-b'});
      expect(statSync(join(out(), 'a.json')).mode & 0o777).to.equal(0o600);
      expect(statSync(out()).mode & 0o777).to.equal(0o700);
    });

    it('sends nothing for machines that are activated already, however the base URL is spelled', async () => {
      const service = await tokenService();
      const from = list('name', 'a', 'b');
      await run(service.url, from);
      const sent = service.seen.length;
      for (const [url, ...more] of [
        [service.url],
        [service.url, '--dry-run'],
        [`${service.url}/`],
        [service.url.replace('http:', 'HTTP:')],
      ] as const) {
        const again = await run(url, from, ...more);
        expect(again.code).to.equal(0);
        expect(countOf(again.rows)).to.deep.equal({already: 2});
        expect(again.rows.map(({id}) => id)).to.have.members(['id-of-a', 'id-of-b']);
      }
      expect(service.seen).to.have.length(sent);
    });

    it('refuses credentials of another service or connector, and a file without credentials', async () => {
      const [first, other] = [await tokenService(), await tokenService()];
      await run(first.url, list('name', 'a'));
      writeFileSync(join(out(), 'c.json'), 'mine\n');
      const from = list('name,file', 'a,', 'b,a2.json', 'c,');
      const {code, rows, stderr} = await run(other.url, from);
      expect(code).to.equal(9);
      expect(stderr).to.include('Fix the reported errors, then run the same command again.');
      expect(rows.map(({name, result}) => [name, result])).to.have.deep.members([
        ['a', 'failed'],
        ['b', 'activated'],
        ['c', 'failed'],
      ]);
      expect(readFileSync(join(out(), 'c.json'), 'utf8')).to.equal('mine\n');
      const renamed = await run(first.url, list('name,file', 'z,a.json'));
      expect(renamed.rows[0]).to.deep.include({result: 'failed'});
    });

    it('writes no token, key or credential to any report or output, whatever the service says', async () => {
      const service = await tokenService({
        before(request, response) {
          const name = /"name":"(bad-[^"]+)"/.exec(request.body)?.[1];
          if (name === undefined) return false;
          if (name.startsWith('bad-lost')) {
            response.destroy();
            return true;
          }
          const message = `${request.body} of ${request.headers.authorization}, organization-key`;
          response.writeHead(422, {'content-type': 'application/json'});
          response.end(JSON.stringify({message, detail: message, error: message}));
          return true;
        },
        loses: (name) => name === 'lost',
      });
      const names = ['a', 'b', 'bad-1', 'bad-2', 'bad-lost', 'lost'];
      const formats = ['json', 'junit', 'markdown'];
      const reports = formats.map((format) => ['--report', `${format}=${at(`report.${format}`)}`]);
      const texts: string[] = [];
      for (const output of [[], ['--json']]) {
        const list = names.map((name) => `${name}${output.join('')}`);
        const more = [...output, ...reports.flat(), '--retries', '0', '--debug'];
        writeFileSync(at('machines.csv'), `name\n${list.join('\n')}\n`);
        const ended = await runCli(argv(at('machines.csv'), ...more), options(service.url));
        expect(ended.code).to.equal(9);
        texts.push(ended.stdout, ended.stderr);
        texts.push(...formats.map((format) => readFileSync(at(`report.${format}`), 'utf8')));
      }
      const activated = [...service.connectors.values()];
      const secrets = [...service.tokens, 'organization-key', ...activated.map(keyOf)];
      expect(service.tokens).to.have.property('size', 2 * names.length);
      expect(activated).to.have.length(2 * 3);
      for (const text of texts) {
        expect(text).to.include('bad');
        for (const secret of secrets) expect(text).not.to.include(secret);
      }
    });

    it('plans with --dry-run, and asks the service only for its connectors', async () => {
      const service = await tokenService();
      const {code, rows, stderr} = await run(service.url, list('name', 'a'), '--dry-run');
      expect(code).to.equal(0);
      expect(countOf(rows)).to.deep.equal({planned: 1});
      expect(stderr).to.equal(
        '1 machine: 1 planned.\nNothing was changed. Without --dry-run the planned machines are activated.\n',
      );
      expect(JSON.parse(readFileSync(at('report.json'), 'utf8'))).to.include({verdict: 'pass'});
      expect(service.seen.map(({method, path}) => `${method} ${path}`)).to.deep.equal([
        'GET /api/connectors',
      ]);
      expect(existsSync(out())).to.equal(false);
    });

    it('fails with --dry-run as a run would: for a refused key, and for a service that is down', async () => {
      const service = await tokenService({
        before(_, response) {
          response.writeHead(401).end();
          return true;
        },
      });
      for (const [url, code] of [
        [service.url, 3],
        ['http://127.0.0.1:1', 6],
      ] as const) {
        const words = argv(list('name', 'a'), '--dry-run', '--json', '--retries', '0');
        const preview = await runCli(words, options(url));
        expect(preview.code).to.equal(code);
        expect(JSON.parse(preview.stdout)).to.include({verdict: 'error'});
        expect((await run(url, list('name', 'a'), '--retries', '0')).code).to.equal(code);
      }
    });

    it('fails with --dry-run as a run would for a key that may only read', async () => {
      const service = await tokenService({
        before({method}, response) {
          response.setHeader(headers.keyAccess, 'read');
          if (method === 'POST') response.writeHead(403).end('{"code": "key_read_only"}');
          return method === 'POST';
        },
      });
      for (const more of [['--dry-run'], []]) {
        const {code, stderr} = await run(service.url, list('name', 'a'), ...more);
        expect(code).to.equal(3);
        expect(stderr).to.include(
          'The operator of a connectorctl service makes one with: connectorctl key create',
        );
      }
      expect(service.seen.map(({method}) => method)).to.deep.equal(['GET', 'POST']);
    });

    it('refuses a directory that is a file or cannot be made, even with --dry-run if it can tell', async () => {
      const from = list('name', 'a');
      const refusal = async (directory: string, ...more: string[]) => {
        const words = ['connector', 'enroll', from, '--credentials-dir', directory];
        const {code, stderr} = await runCli([...words, ...more], options('http://127.0.0.1:1'));
        expect(code).to.equal(2);
        return stderr;
      };
      expect(await refusal(from)).to.include('not a directory (ENOTDIR). Nothing was sent.');
      expect(await refusal(from, '--dry-run')).to.include('not a directory (ENOTDIR)');
      if (process.platform === 'linux') {
        expect(await refusal('/proc/none')).to.include('no such file or directory (ENOENT)');
      }
    });

    it('exits 9 for a list without machines', async () => {
      const service = await tokenService();
      for (const more of [[], ['--dry-run']]) {
        expect((await run(service.url, list('name'), ...more)).code).to.equal(9);
      }
    });
  });

  describe('when the service fails', () => {
    it('leaves rows uncertain after lost responses without idempotency, and never repeats them blindly', async () => {
      const lost = new Set(['m-2', 'm-5']);
      const service = await tokenService({loses: (name) => lost.has(name)});
      const from = list('name', ...namesFrom(6));
      const first = await run(service.url, from);
      expect(first.code).to.equal(9);
      expect(countOf(first.rows)).to.deep.equal({activated: 4, uncertain: 2});
      const sent = service.seen.length;
      const second = await run(service.url, from);
      expect(second.code).to.equal(9);
      expect(countOf(second.rows)).to.deep.equal({already: 4, uncertain: 2});
      expect(second.rows.find(({name}) => name === 'm-2')?.message).to.include(
        join(out(), 'm-2.json.pending'),
      );
      expect(service.seen).to.have.length(sent + lost.size);
      expect([...service.connectors.values()].sort()).to.deep.equal(namesFrom(6));
      expect(service.tokens).to.have.property('size', 6);
    });

    it('says how many files hold no known API key, also when it is run again', async () => {
      const service = await tokenService({
        before(request, response) {
          const name = /"name":"([^"]+)"/.exec(request.body)?.[1];
          if (name === undefined || name === 'c') return false;
          const body = name === 'a' ? '' : JSON.stringify({ok: true, unknown: 's3cret'});
          response
            .writeHead(201, body === '' ? {} : {'content-type': 'application/json'})
            .end(body);
          return true;
        },
      });
      for (const result of ['activated', 'already']) {
        const {code, stderr} = await run(service.url, list('name', 'a', 'b', 'c'));
        expect(code).to.equal(0);
        expect(stderr).to.equal(`3 machines: 3 ${result}; 2 files hold no known API key.\n`);
      }
    });
  });
});
