import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {exitCodes} from '../../src/errors.js';
import {
  examine,
  key,
  keys,
  runConformance,
  secondKey,
  writes,
} from '../support/command/run-conformance.js';
import {closedPort} from '../support/network/ports.js';
import {runChild, startChild} from '../support/process/child.js';
import {createGate} from '../support/server/gate.js';
import {listeningService} from '../support/server/service.js';
import {otherService} from '../support/services/other.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, type Respond, thirdPartyService} from '../support/third-party.js';
import {skippingClock} from '../support/time/skipping-clock.js';

const {unmet, usage, unavailable, auth, internal, cancelled, terminated} = exitCodes;

/** The findings for a service, with a clock that skips every wait. */
async function examined(respond: Respond, ...flags: readonly string[]) {
  const {url, seen} = await thirdPartyService(respond);
  const json = flags.includes('--json');
  const given = flags.filter((flag) => flag !== '--json');
  return {...(await examine(url, {flags: given, json})), seen, url};
}

async function conformance(respond: Respond, ...flags: readonly string[]) {
  const {url, seen} = await thirdPartyService(respond);
  return {...(await runConformance(url, flags)), seen, url};
}

interface JsonFinding {
  id: string;
  status: string;
  message: string;
  details: {level: string; source: string; reference: string; curl: string | null};
}
const findingsOf = (stdout: string): JsonFinding[] => JSON.parse(stdout).findings;
const statusOf = (stdout: string, id: string) =>
  findingsOf(stdout).find((finding) => finding.id === id)?.status;

describe('conformance', () => {
  const at = temporaryDirectory();

  it('says why a run evaluated nothing, and what a status that ages takes', async () => {
    const {service, listener} = await listeningService();
    const only = ['--only', '4.5/ages', ...writes];
    const {code, stdout} = await examine(listener.url, {flags: only, apiKey: service.key});
    await listener.close();
    expect(code).to.equal(unmet.code);
    expect(stdout.trimEnd().split('\n').at(-1)).to.equal(
      '0 hold, 0 fail, 0 warn, 0 skipped, 1 observed. Not seen: 4.5/ages (online; pass --patience 20m to see whether it ages). Nothing was evaluated, so nothing passed',
    );
  });

  describe('with a service written from the interface alone', () => {
    it('exits 0, and waits for a token to expire with --patience', async () => {
      const {clock} = skippingClock();
      const service = otherService({keys, now: () => Date.now() + clock.now()});
      const {url} = await thirdPartyService(service);
      const secondFile = at('second.key');
      writeFileSync(secondFile, secondKey, {mode: 0o600});
      const waiting = ['--strict', '--patience', '20m', '--second-api-key-file', secondFile];
      const flags = [...writes, ...waiting];
      const {code, stdout} = await examine(url, {flags, json: true, clock});
      expect(code, stdout).to.equal(0);
      expect(statusOf(stdout, '4.1/expires')).to.equal('pass');
      expect(service.connectors).to.have.length(4);
    });

    it('creates no more connectors than --max-connectors', async () => {
      const service = otherService({keys});
      const {code} = await examined(service, ...writes, '--max-connectors', '2');
      expect({code, count: service.connectors.length}).to.deep.equal({code: 0, count: 2});
    });

    it('creates nothing without --writes-to, even at a service that activates with any token', async () => {
      const service = otherService({keys, acceptsAnyToken: true});
      const {code, seen} = await examined(service);
      expect({code, connectors: service.connectors}).to.deep.equal({code: 0, connectors: []});
      const posts = seen.filter(({method}) => method !== 'GET' && method !== 'HEAD');
      for (const {body} of posts) expect(() => JSON.parse(body)).to.throw(SyntaxError);
    });

    it('warns about a should, and fails it with --strict', async () => {
      const only = [...writes, '--only', '4.2', '--json'];
      const lenient = await examined(otherService({keys, tokensStay: true}), ...only);
      expect(lenient.code).to.equal(0);
      expect(statusOf(lenient.stdout, '4.2/single-use')).to.equal('warn');
      const strict = await examined(otherService({keys, tokensStay: true}), ...only, '--strict');
      expect(strict.code).to.equal(unmet.code);
      expect(statusOf(strict.stdout, '4.2/single-use')).to.equal('fail');
    });
  });

  for (const [host, code, message] of [
    ['[::1]', unavailable.code, 'Cannot reach'],
    ['[::1]:1', unavailable.code, 'Cannot reach'],
    ['[::1]:2', usage.code, 'is not the host of the base URL'],
    ['user@[::1]', usage.code, 'is not the host of the base URL'],
  ] as const) {
    it(`exits ${code} for http://[::1]:1 with --writes-to ${host}`, async () => {
      const run = await runConformance('http://[::1]:1', ['--writes-to', host]);
      expect(run.code).to.equal(code);
      expect(run.stderr).to.include(message);
    });
  }

  it('a second key that equals the first exits 2, and sends nothing', async () => {
    const {url, seen} = await thirdPartyService(otherService({keys}));
    const {code, stderr} = await runConformance(url, [], {CONNECTORCTL_SECOND_API_KEY: key});
    expect({code, requests: seen.length}).to.deep.equal({code: usage.code, requests: 0});
    expect(stderr).to.include('The second API key is the same as the first.');
  });

  describe('--only and --skip', () => {
    it('select checks by id and by section', async () => {
      const words = '--list --json --only 4.5 --only 4.2/single-use --skip 4.5/effect';
      const {code, stdout} = await runConformance('http://127.0.0.1:1', words.split(' '));
      expect(code).to.equal(0);
      const ids: string[] = JSON.parse(stdout).map(({id}: {id: string}) => id);
      expect(ids).to.include.members(['4.2/single-use', '4.5/accepts']);
      expect(ids.filter((id) => !id.startsWith('4.5/'))).to.deep.equal(['4.2/single-use']);
      expect(ids).not.to.include('4.5/effect');
    });

    it('refuse a mistyped check with exit code 2, and suggest one', async () => {
      const only = ['--only', '4.2/singel-use'];
      const {code, stderr} = await runConformance('http://127.0.0.1:1', only);
      expect(code).to.equal(usage.code);
      expect(stderr).to.include('Did you mean 4.2/single-use?');
    });
  });

  it('exits 9 with --strict when a check of the level must is skipped, and says what to pass', async () => {
    const only = ['--only', '4.1', '--only', '4.3', ...writes];
    const {code, stdout} = await examined(otherService({keys}), ...only, '--strict');
    expect(code).to.equal(unmet.code);
    expect(stdout).to.match(/^skip {2}4\.3\/isolation +must +.*--second-api-key-file/m);
    expect(stdout).to.include('longer than this run waits: --patience 16m');
    expect(stdout).to.include(
      'Not evaluated: 4.1/expires, 4.3/isolation. Pass what these checks need, or name them',
    );
    expect((await examined(otherService({keys}), ...only)).code).to.equal(0);
  });

  it('waits once for a Retry-After of 429, and evaluates the next response', async () => {
    const service = otherService({keys});
    const limited = json({error: 'too many'}, 429, {'retry-after': '20'});
    const {clock} = skippingClock();
    const {url} = await thirdPartyService((seen, response, index) =>
      (index === 4 ? limited : service)(seen, response, index),
    );
    const start = clock.now();
    const flags = ['--only', '4.3/lists', '--only', '5', '--strict'];
    const {code, stdout} = await examine(url, {flags, json: true, clock});
    expect({code, waited: clock.now() - start}, stdout).to.deep.equal({code: 0, waited: 20_000});
  });

  describe('the exit code', () => {
    it('is 6 when nothing listens, and the reports say so', async () => {
      const url = `http://127.0.0.1:${await closedPort()}`;
      const {code, stderr} = await runConformance(url, ['--report', `junit=${at('r.xml')}`]);
      expect(code).to.equal(unavailable.code);
      expect(stderr).to.include(`Cannot reach ${url}`);
      expect(readFileSync(at('r.xml'), 'utf8')).to.include('<error message="Cannot reach');
    });

    it('is 3 when the service refuses the key', async () => {
      const {code, stderr} = await conformance(json({error: 'no'}, 401));
      expect(code).to.equal(auth.code);
      expect(stderr).to.include('refuses the API key');
    });

    it('is 1 when the suite fails in a check, whose status is error, not fail', async () => {
      const {url} = await thirdPartyService(json([{id: 'con_unexpected', name: 'web-1'}]));
      const {code, stdout} = await runChild(['conformance', '--base-url', url, '--json'], {
        env: {
          CONNECTORCTL_API_KEY: key,
          NODE_OPTIONS: `--require="${join(root, 'test/support/preload/unexpected-error.cjs')}"`,
        },
      });
      expect({code, verdict: JSON.parse(stdout).verdict}).to.deep.equal({
        code: internal.code,
        verdict: 'error',
      });
      const failed = findingsOf(stdout).filter(({status}) => status === 'error');
      expect(failed.map(({id}) => id)).to.include('4.4/reads');
      expect(failed[0]?.message).to.match(/^the check itself failed: TypeError/);
      expect(findingsOf(stdout).filter(({status}) => status === 'fail')).to.deep.equal([]);
    });

    for (const [signal, kind] of [
      ['SIGINT', cancelled],
      ['SIGTERM', terminated],
    ] as const) {
      it(`is ${kind.code} after ${signal}, and stderr names the connectors that may exist`, async () => {
        const service = otherService({keys});
        const asked = createGate();
        const {url} = await thirdPartyService((seen, response, index) => {
          if (seen.path.endsWith('/heartbeat')) void asked.wait();
          else service(seen, response, index);
        });
        const command = startChild(['conformance', '--base-url', url, ...writes], {
          env: {CONNECTORCTL_API_KEY: key},
        });
        await asked.arrived;
        command.process.kill(signal);
        const {code, stdout, stderr} = await command.ended;
        expect({code, stdout}).to.deep.equal({code: kind.code, stdout: ''});
        expect(stderr).to.match(
          /\nError: Interrupted before all checks were done\.\n {2}The service may have connectors of this run, named conformance-\w{6}-….\n$/,
        );
      });
    }

    it('is 6 when the first request gets 429', async () => {
      const limited = json({error: 'too many'}, 429, {'retry-after': '3600'});
      const {code, stderr} = await conformance(limited);
      expect(code).to.equal(unavailable.code);
      expect(stderr).to.match(
        /limits the rate of requests.*nothing can be checked\.\n {2}Try again later\.\n$/,
      );
    });

    it(`is not ${internal.code} when a service only claims to be a sandbox`, async () => {
      const service = otherService({keys});
      const {code, stdout} = await examined(
        (seen, response, index) => {
          response.setHeader('connectorctl-clock', 'virtual');
          service(seen, response, index);
        },
        ...[...writes, '--only', '4.1', '--only', 'http/clock', '--json'],
      );
      expect(code, stdout).to.equal(0);
      expect(statusOf(stdout, '4.1/expires')).to.equal('skip');
      expect(statusOf(stdout, 'http/clock')).to.equal('skip');
    });

    it('is not 9 when the service keeps responding 429: the checks are skipped', async () => {
      const service = otherService({keys});
      const limited = json({error: 'too many'}, 429, {'retry-after': '3600'});
      const {stdout} = await examined(
        (seen, response, index) => (index > 12 ? limited : service)(seen, response, index),
        ...writes,
        '--strict',
        '--json',
      );
      const findings = findingsOf(stdout);
      expect(findings.filter(({status}) => status === 'fail')).to.deep.equal([]);
      expect(findings.filter(({message}) => /\b429\b/.test(message))).to.have.length.above(20);
    });
  });
});
