import {exec} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {exitCodes} from '../../src/errors.js';
import {inherited} from '../support/child.js';
import {otherService} from '../support/other-service.js';
import {key, keys, runConformance, secondKey, writes} from '../support/run-conformance.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {
  closeThirdPartyServices,
  type Respond,
  thirdPartyService,
} from '../support/third-party-service.js';

const curlsOf = (stdout: string): readonly string[] =>
  JSON.parse(stdout).findings.flatMap(
    ({details}: {details: {curl: string | null}}) => details.curl ?? [],
  );

/** Runs `conformance` with permission to write. */
const run = (url: string, flags: readonly string[], env: Record<string, string> = {}) =>
  runConformance(url, [...writes, ...flags], env);

describe('the output of conformance', () => {
  const at = temporaryDirectory();
  afterEach(closeThirdPartyServices);

  it('has curl lines that each repeat a request of the run, with the secrets in shell variables', async () => {
    const {url, seen} = await thirdPartyService(otherService({keys}));
    const env = {CONNECTORCTL_SECOND_API_KEY: secondKey, CONNECTORCTL_REVOKED_API_KEY: 'revoked'};
    const {stdout} = await run(url, ['--json'], env);
    const requests = (sent: typeof seen) =>
      sent.map(({method, path, headers, body}) =>
        JSON.stringify([
          ...[method, path, headers.authorization, headers['content-type']],
          body.replace(/"token":"[\w-]{36}"/, '"token":"any"'),
        ]),
      );
    const known = new Set(requests(seen));
    const lines = new Set(curlsOf(stdout));
    expect(lines.size).to.be.above(25);
    for (const line of lines) {
      seen.length = 0;
      await promisify(exec)(`${line} --silent --max-time 10`, {
        env: {...inherited, ...env, CONNECTORCTL_API_KEY: key, TOKEN: 'any'},
      });
      expect(requests(seen), line).to.have.length(1);
      expect(known, line).to.include(requests(seen)[0]);
    }
  });

  it('shows no secret on stdout, stderr or in a report of any format', async () => {
    const service = otherService({
      keys,
      tokensStay: true,
      misnamesExpiry: true,
      tokenLifetime: 1000,
    });
    const secrets = new Set([key, secondKey, 'revoked-key-of-one']);
    const noting: Respond = (seen, response, index) => {
      const {token} = seen.body.startsWith('{"token":"')
        ? JSON.parse(seen.body)
        : {token: undefined};
      // The suite's own invented token is not a secret.
      if (token !== undefined && !token.includes('nobody-issued')) secrets.add(token);
      const end = response.end.bind(response);
      response.end = ((text?: string) => {
        const body = text === undefined || seen.method === 'HEAD' ? undefined : JSON.parse(text);
        if (typeof body?.token === 'string') secrets.add(body.token);
        if (!seen.path.endsWith('/activate') || body?.id === undefined) return end(text);
        const own = {
          ...body,
          api_key: `connector-key-${index}`,
          refresh: {secret: `s3cr3t-${index}`},
        };
        secrets.add(own.api_key).add(own.refresh.secret);
        return end(JSON.stringify(own));
      }) as typeof response.end;
      service(seen, response, index);
    };
    const {url} = await thirdPartyService(noting);
    const formats = ['json', 'junit', 'markdown'];
    const reports = formats.flatMap((format) => ['--report', `${format}=${at(format)}`]);
    const flags = [...reports, '--strict', '--patience', '10s'];
    const env = {
      CONNECTORCTL_SECOND_API_KEY: secondKey,
      CONNECTORCTL_REVOKED_API_KEY: 'revoked-key-of-one',
    };
    const text = await run(url, flags, env);
    expect(text.code).to.equal(exitCodes.unmet.code);
    const asJson = await run(url, [...flags, '--json'], env);
    const written = {
      ...{stdout: text.stdout, stderr: text.stderr, '--json': asJson.stdout, log: asJson.stderr},
      ...Object.fromEntries(formats.map((format) => [format, readFileSync(at(format), 'utf8')])),
    };
    expect(secrets.size).to.be.above(20);
    for (const [name, content] of Object.entries(written)) {
      const found = [...secrets].filter((secret) => content.includes(secret));
      expect(found, name).to.deep.equal([]);
    }
  });
});
