import {existsSync, readFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';
import {expect} from 'chai';
import {exitCodes} from '../../src/errors.js';
import {runMeasured} from '../support/process/child.js';
import {otherService} from '../support/services/other.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {bytes, json, pieces, type Respond, thirdPartyService} from '../support/third-party.js';

/** Not in the format of our own keys, of which even a part is recognized. */
const keys = {
  own: 'b7e1f3a95c2d4e60',
  second: 'd05a8c17e92b4f36',
  revoked: 'f48c0b62a7d51e93',
};
const formats = ['json', 'junit', 'markdown'] as const;
const {ok, unmet} = exitCodes;

function* endless() {
  yield '[';
  for (;;) yield `${'{"id":"con_1","name":"web-1"},'.repeat(2000)}`;
}

/** 1.25 GiB of spaces in 1.3 MB. */
const bomb = () => Buffer.concat(Array(20).fill(gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))));

describe('conformance of a hostile service', function () {
  this.timeout(180_000);
  const at = temporaryDirectory();

  /** Runs `conformance` in a process; returns what it wrote, and the cost. */
  async function conformance(
    url: string,
    flags: readonly string[],
    env: Readonly<Record<string, string>>,
  ) {
    return runMeasured(['conformance', '--base-url', url, ...flags], {
      env: {...env, CONNECTORCTL_API_KEY: keys.own},
      file: at('peak'),
    });
  }

  /** The same with all reports and keys. */
  async function run(url: string, ...flags: readonly string[]) {
    const reports = formats.flatMap((format) => ['--report', `${format}=${at(format)}`]);
    const result = await conformance(url, ['--writes-to', '127.0.0.1', ...reports, ...flags], {
      CONNECTORCTL_SECOND_API_KEY: keys.second,
      CONNECTORCTL_REVOKED_API_KEY: keys.revoked,
    });
    const files = formats.filter((format) => existsSync(at(format)));
    const texts = files.map((format) => readFileSync(at(format), 'utf8'));
    return {...result, files, all: [result.stdout, result.stderr, ...texts].join('\n')};
  }

  const long: Readonly<Record<string, () => Respond>> = {
    'a gzip bomb': () =>
      bytes(bomb(), {'content-type': 'application/json', 'content-encoding': 'gzip'}),
    'an endless body': () => pieces(endless()),
  };
  for (const [what, respond] of Object.entries(long)) {
    it(`limits memory for ${what}, and reports it as too long`, async () => {
      const {url} = await thirdPartyService(respond());
      const {code, stdout, mebibytes} = await run(url);
      expect(code).to.equal(unmet.code);
      expect(stdout).to.match(/^skip {2}4\.3\/lists .* its body is longer than 64 MiB$/m);
      expect(mebibytes).to.be.below(400);
    });
  }

  it('gives up after --timeout on a body that arrives byte by byte, twice for each operation', async () => {
    const drip: Respond = (_, response) => {
      response.writeHead(200, {'content-type': 'application/json'});
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    const {url, seen} = await thirdPartyService(drip);
    const {code, stdout} = await run(url, '--timeout', '1s');
    expect(code).to.equal(unmet.code);
    expect(stdout).to.match(/^FAIL {2}4\.3\/lists .*was not complete within 1 s$/m);
    expect(seen).to.have.length.below(20);
  });

  it('a redirect to another host is not followed, so no credential leaves', async () => {
    const other = await thirdPartyService(json([]));
    const {url} = await thirdPartyService((seen, response, index) => {
      const status = [301, 302, 307, 308][index % 4] ?? 301;
      response.writeHead(status, {location: `${other.url}${seen.path}`}).end();
    });
    const {code, stdout} = await run(url);
    expect(code).to.equal(unmet.code);
    expect(stdout).to.match(/^FAIL {2}4\.3\/lists .*no list: 30[1278]/m);
    expect(other.seen).to.deep.equal([]);
  });

  it('a next page on another host is not requested, so no credential leaves', async () => {
    const other = await thirdPartyService(json([]));
    const {url} = await thirdPartyService((seen, response, index) => {
      if (seen.path !== '/api/connectors') return json({}, 404)(seen, response, index);
      return json([{id: 'con_1', name: 'a'}], 200, {
        link: `<${other.url}/api/connectors?page=2>; rel="next"`,
      })(seen, response, index);
    });
    const {stdout} = await run(url);
    expect(stdout).to.match(/^skip {2}4\.3\/lists .* its next page is on another origin/m);
    expect(other.seen).to.deep.equal([]);
  });

  it('invalid UTF-8 is reported, and every report is still valid UTF-8', async () => {
    const list = Buffer.from('[{"id":"con_\xff","name":"web-\xfe"}]', 'latin1');
    const {url} = await thirdPartyService((seen, response, index) => {
      const isList = /^\/api\/connectors(\?|$)/.test(seen.path);
      const respond = isList
        ? bytes(list, {'content-type': 'application/json'})
        : json({error: 'no'}, 404);
      respond(seen, response, index);
    });
    const {stdout, files} = await run(url);
    expect(stdout).to.match(/^warn {2}http\/utf-8 .* a JSON body is not valid UTF-8$/m);
    expect(files).to.deep.equal(formats);
    const decoder = new TextDecoder('utf-8', {fatal: true});
    for (const format of files) decoder.decode(readFileSync(at(format)));
  });

  for (const [format, mode] of [
    ['text', []],
    ['json', ['--json']],
  ] as const) {
    it(`no output shows a secret, or its beginning, of a service that repeats every secret everywhere, as ${format}`, async () => {
      const service = otherService({
        keys: {[keys.own]: 'one', [keys.second]: 'two'},
        tokensStay: true,
        misnamesExpiry: true,
        tokenLifetime: 1000,
      });
      const secrets = new Set<string>(Object.values(keys));
      const echo: Respond = (seen, response, index) => {
        const sent = /"token":"([^"]+)"/.exec(seen.body)?.[1];
        if (sent !== undefined && !sent.includes('nobody-issued')) secrets.add(sent);
        const said = [...secrets].join(' ');
        const end = response.end.bind(response);
        const writeHead = response.writeHead.bind(response);
        response.writeHead = ((status: number, headers: Record<string, string>) =>
          writeHead(status, {
            ...headers,
            'www-authenticate': `Bearer realm="${'x'.repeat(index % 36)} ${said}"`,
            'access-control-allow-origin': said,
          })) as typeof response.writeHead;
        response.end = ((text?: string) => {
          const body = text === undefined ? undefined : JSON.parse(text);
          if (typeof body?.token === 'string') secrets.add(body.token);
          const padding = 'y'.repeat((index * 7) % 300);
          if (body?.error !== undefined) body.error = `${padding} ${said}`;
          if (body?.connectors !== undefined)
            for (const one of body.connectors) one.name = `${padding} ${one.name} ${said}`;
          if (body?.id !== undefined) {
            const own = {
              api_key: `c0ffee${index}-own-key`,
              refresh: {secret: `${index}-s3cr3t-own`},
            };
            Object.assign(body, {[said]: said, ...own});
            secrets.add(own.api_key).add(own.refresh.secret);
          }
          return end(text === undefined ? undefined : JSON.stringify(body));
        }) as typeof response.end;
        service(seen, response, index);
      };
      const {url} = await thirdPartyService(echo);
      const flags = ['--debug', '--strict', '--patience', '10s', ...mode];
      const {all, code, files, stdout, stderr} = await run(url, ...flags);
      expect(code).to.equal(unmet.code);
      expect(stdout).to.include('[redacted]');
      expect(stderr).to.match(/^< www-authenticate: /m);
      expect(files).to.deep.equal(formats);
      expect(secrets.size).to.be.above(20);
      // The start of a secret is one too.
      const starts = [...secrets].map((secret) => secret.slice(0, 8));
      expect(starts.filter((start) => all.includes(start))).to.deep.equal([]);
    });
  }

  it('a list of 100,000 connectors, longer than 16 MiB, is read as a whole and passes', async () => {
    const service = otherService({keys: {[keys.own]: 'one'}});
    const all = Array.from({length: 100_000}, (_, index) => ({
      id: `con_${String(index).padStart(26, '0')}`,
      name: `machine-${index}`,
      note: 'x'.repeat(120),
    }));
    const text = JSON.stringify(all);
    expect(text.length).to.be.above(16 * 1024 * 1024);
    const {url, seen} = await thirdPartyService((request, response, index) => {
      const isAllowed = request.headers.authorization === `Bearer ${keys.own}`;
      const id = request.path.replace('/api/connectors/', '');
      if (!isAllowed || request.method === 'POST') service(request, response, index);
      else if (/^\/api\/connectors(\?|$)/.test(request.path)) json(text)(request, response, index);
      else if (/^con_\d+$/.test(id)) json(all[Number(id.slice(4))])(request, response, index);
      else service(request, response, index);
    });
    const {code, stdout, mebibytes} = await conformance(url, [], {});
    expect(code, stdout).to.equal(ok.code);
    expect(stdout).to.match(/^ok {4}4\.3\/lists .* 100,000 connectors on 1 page$/m);
    expect(stdout).to.match(/^ok {4}4\.4\/listed-id /m);
    expect(mebibytes).to.be.below(400);
    expect(seen.length).to.be.above(10);
  });
});
