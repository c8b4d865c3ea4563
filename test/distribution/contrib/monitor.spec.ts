import {chmodSync, existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {parse} from 'yaml';
import {runScript} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {inTurn, json, type Respond, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';

const path = (name: string) => join(root, 'contrib', 'monitor', name);
const read = (name: string) => readFileSync(path(name), 'utf8');

const fleet = (...offline: readonly string[]): Respond =>
  json(
    ['web-1', 'web-2', '<b>`x`'].map((name, n) => ({
      id: `c-${n}`,
      name,
      status: offline.includes(name) ? 'offline' : 'online',
    })),
  );

describe('the examples of contrib/monitor', () => {
  const at = temporaryDirectory();

  /** Runs a command line once per response, with programs that only record how they are called. */
  async function runs(command: string, responses: readonly Respond[], more = {}) {
    const {url} = await thirdPartyService(inTurn(...responses));
    for (const program of ['gh', 'mail']) {
      writeFileSync(
        at(program),
        `#!/bin/sh\necho "${program} $*" >> ${at('calls')}\n` +
          `case "$*" in *list*) [ ! -e ${at('issue')} ] || echo 7;; *--body-file*|*-s*) cat >> ${at('calls')};; esac\n` +
          `case "$*" in *"issue create"*) touch ${at('issue')};; esac\n`,
      );
      chmodSync(at(program), 0o755);
    }
    const env = {
      ...more,
      CONNECTORCTL_BASE_URL: url,
      CONNECTORCTL_API_KEY: organizationKey(),
      PATH: `${at()}:${process.env['PATH']}`,
    };
    const codes: number[] = [];
    for (const _ of responses) {
      const {code} = await runScript(['-c', command], {directory: at(), env});
      codes.push(code);
    }
    return codes;
  }

  const once = (script: string) =>
    `connectorctl connector monitor --once --state monitor.json --exec '"${path(script)}"'`;

  it('the webhook gets one message per look', async () => {
    const hook = await thirdPartyService(json({}));
    const codes = await runs(once('webhook.sh'), [fleet(), fleet('web-1', 'web-2'), fleet()], {
      WEBHOOK_URL: hook.url,
    });
    expect(codes).to.deep.equal([0, 9, 0]);
    const [began, ended] = hook.seen.map(({body}) => JSON.parse(body).text.split('\n'));
    expect(began[0]).to.match(
      /: 2 of 3 connectors are offline \(66.6 %\); required: at most 0 \(2 began; since \S+ \S+ UTC\)$/,
    );
    expect(began.slice(1)).to.deep.equal([
      'began: web-1 (c-0) is offline; required: at most 0 offline',
      'began: web-2 (c-1) is offline; required: at most 0 offline',
    ]);
    expect(ended[0]).to.match(/: .*3 of 3 connectors are online.* \(2 ended\)$/);
    expect(ended[1]).to.match(/^ended: web-1 \(c-0\) was offline for \d+s$/);
  });

  it('the mail has the headline as its subject, and the findings in its body', async () => {
    await runs(once('mail.sh'), [fleet(), fleet('web-1')], {MAIL_TO: 'ops@example.org'});
    expect(readFileSync(at('calls'), 'utf8')).to.match(
      /^mail -s http\S+: 1 of 3 connectors is offline \(33.3 %\); required: at most 0 \(1 began; since \S+ \S+ UTC\) ops@example.org\n\S+ {2}began: web-1 \(c-0\) is offline; .*\n$/,
    );
  });

  it('the webhook gets names that mention nobody, and add no line', async () => {
    const hook = await thirdPartyService(json({}));
    const name = '<!channel> @all\nended: offline web-1';
    const look = (status: string) =>
      json([
        {id: 'c-1', name, status},
        {id: 'c-2', name: 'b', status: 'online'},
      ]);
    await runs(once('webhook.sh'), [look('online'), look('offline')], {WEBHOOK_URL: hook.url});
    expect(hook.seen.map(({body}) => JSON.parse(body).text.split('\n').slice(1))).to.deep.equal([
      [
        'began: &lt;!channel&gt; @\u200ball ended: offline web-1 (c-1) is offline; required: at most 0 offline',
      ],
    ]);
  });

  it('the GitHub workflow opens one issue per outage, comments on it, and closes it', async () => {
    const {steps} = parse(read('github-actions.yml')).jobs.monitor;
    const {run} = steps.at(-1);
    const looks = [fleet(), fleet('<b>`x`'), fleet('<b>`x`', 'web-1'), fleet('web-1'), fleet()];
    const script = run.replace(/\.\/contrib\S+/, `'"${path('github-issue.sh')}"'`);
    const codes = await runs(script, looks);
    expect(codes).to.deep.equal([0, 0, 0, 0, 0]);
    const calls = readFileSync(at('calls'), 'utf8').split('\n');
    const verbs = calls.flatMap((line) => /^gh issue (?!list)(\w+)/.exec(line)?.[1] ?? []);
    expect(verbs).to.deep.equal(['create', 'comment', 'comment', 'comment', 'close']);
    expect(calls.join('\n')).to.match(/\*\*began\*\* `<b>x \(c-2\) is offline; .*`$/m);
    expect(existsSync(at('monitor.json'))).to.equal(true);
  });
});
