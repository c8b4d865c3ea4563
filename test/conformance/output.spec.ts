import {exec} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {key, keys, runConformance, secondKey, writes} from '../support/command/run-conformance.js';
import {inherited} from '../support/process/child.js';
import {otherService} from '../support/services/other.js';
import {thirdPartyService} from '../support/third-party.js';

const curlsOf = (stdout: string): readonly string[] =>
  JSON.parse(stdout).findings.flatMap(
    ({details}: {details: {curl: string | null}}) => details.curl ?? [],
  );

describe('the output of conformance', () => {
  it('has a curl line with the token, however long it is', async () => {
    const tokenEnd = randomBytes(1024).toString('base64url');
    const {url} = await thirdPartyService(otherService({keys, tokenEnd}));
    const {stdout} = await runConformance(url, [...writes, '--only', '4.2/activates', '--json']);
    const [line] = curlsOf(stdout);
    expect(line).to.include('"$TOKEN"').and.not.include('/dev/zero');
  });

  it('has curl lines that each repeat a request of the run, with the secrets in shell variables', async () => {
    const {url, seen} = await thirdPartyService(otherService({keys}));
    const env = {CONNECTORCTL_SECOND_API_KEY: secondKey, CONNECTORCTL_REVOKED_API_KEY: 'revoked'};
    const {stdout} = await runConformance(url, [...writes, '--json'], env);
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
});
