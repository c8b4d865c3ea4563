import {once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {expect} from 'chai';
import {runCommand} from '../../support/command/run-command.js';
import {runScript, startChild} from '../../support/process/child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {inTurn, json, type Respond, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';

const env = {CONNECTORCTL_API_KEY: organizationKey()};
const date = {date: new Date('2026-01-02T03:04:05Z').toUTCString()};
const fleet = (...offline: readonly number[]): Respond =>
  json(
    [1, 2, 3, 4].map((number) => ({
      id: `c-${number}`,
      name: `web-${number}`,
      status: offline.includes(number) ? 'offline' : 'online',
      last_heartbeat_at: '2026-01-02T03:00:00Z',
    })),
    200,
    date,
  );

interface Delivery {
  readonly events: readonly {
    readonly id: string;
    readonly change: string;
    readonly subject: string;
  }[];
}

describe('connector monitor', () => {
  const at = temporaryDirectory();

  /** Runs it with `--once` for each response, with a command that appends what it gets to a file. */
  async function looks(responses: readonly Respond[], ...flags: readonly string[]) {
    const {url} = await thirdPartyService(inTurn(...responses));
    const exec = `echo "$CONNECTORCTL_BEGAN $CONNECTORCTL_ENDED $CONNECTORCTL_API_KEY" >> ${at('counts')}; cat >> ${at('events')}; test ! -e ${at('fails')}`;
    const argv = ['connector', 'monitor', '--once', '--state', at('state'), '--exec', exec];
    const target = ['--base-url', url, '--retries', '0', ...flags];
    const runs = [];
    for (const _ of responses) runs.push(await runCommand([...argv, ...target], env));
    return runs;
  }

  const deliveries = () =>
    readFileSync(at('events'), 'utf8')
      .trim()
      .split('\n')
      .map((line): Delivery => JSON.parse(line));

  it('tells once what began and what ended, in one call per look, and exits as a check does', async () => {
    const runs = await looks([fleet(1), fleet(1, 2, 3), fleet(1, 2, 3), fleet(1)]);
    expect(runs.map(({code}) => code)).to.deep.equal([9, 9, 9, 9]);
    expect(runs[0]).to.include({stdout: '', stderr: 'Already wrong: web-1 (c-1) is offline\n'});
    expect(runs[1]?.stdout.replaceAll(/^\S+ /gm, '')).to.match(
      /^http\S+: 3 of 4 connectors are offline \(75 %\); required: at most 0 \(2 began; since \S+ \S+ UTC\)\nbegan: web-2 \(c-2\) is offline \(last heartbeat 4m ago\); required: at most 0 offline\nbegan: web-3 .*\n$/,
    );
    expect(runs[2]?.stdout).to.equal('');
    expect(runs[3]?.stdout).to.match(
      /: 1 of 4 connectors is offline .* \(2 ended\)\n.* ended: web-2 \(c-2\) was offline for \d+s\n.* web-3 /,
    );
    expect(
      deliveries().map(({events}) => events.map(({change, subject}) => [change, subject])),
    ).to.deep.equal([
      [
        ['began', 'web-2'],
        ['began', 'web-3'],
      ],
      [
        ['ended', 'web-2'],
        ['ended', 'web-3'],
      ],
    ]);
    expect(readFileSync(at('counts'), 'utf8')).to.equal('2 0 \n0 2 \n');
  });

  it('says that its command failed', async () => {
    writeFileSync(at('fails'), '');
    const [, run] = await looks([fleet(), fleet(1)]);
    expect(run).to.deep.include({
      code: 6,
      stderr: 'Error: --exec exited with 1; 1 event will be delivered with the next run.\n',
    });
  });

  it('writes an event in a delivery and as a line of JSON', async () => {
    const [, run] = await looks([fleet(), fleet(2)], '--json');
    const [delivery] = deliveries();
    expect(JSON.parse(run?.stdout ?? '')).to.deep.equal(delivery?.events[0]);
  });

  it('delivers again, with the same ids, when it was killed after the command', async () => {
    const {url} = await thirdPartyService(inTurn(fleet(), fleet(1)));
    const run = (exec: string) => {
      const flags = ['--once', '--state', at('state'), '--base-url', url, '--exec', exec];
      return startChild(['connector', 'monitor', ...flags], {env}).ended;
    };
    const keep = `cat >> ${at('events')}`;
    await run(keep);
    expect((await run(`${keep}; kill -9 $PPID`)).code).to.equal(128 + 9);
    expect((await run(keep)).code).to.equal(9);
    const [first, second, ...more] = deliveries();
    expect(second).to.deep.equal(first);
    expect(more).to.deep.equal([]);
  });

  it('without a command, shows what an earlier run could not write', async () => {
    const {url} = await thirdPartyService(inTurn(fleet(), fleet(1), fleet(1)));
    const flags = `--once --json --state ${at('state')} --base-url ${url}`;
    const run = (to: string) =>
      runScript(['-c', `connectorctl connector monitor ${flags} ${to}`], {directory: at(), env});
    await run('');
    expect((await run('> /dev/full')).code).to.equal(2);
    const {code, stdout} = await run('');
    expect([code, JSON.parse(stdout).subject]).to.deep.equal([9, 'web-1']);
  });

  it('continues with --exec when nothing reads its output any more', async () => {
    const {url} = await thirdPartyService(inTurn(fleet(), fleet(2), fleet(), fleet(3)));
    const exec = `cat >> ${at('events')}; if grep -q web-3 ${at('events')}; then kill $PPID; fi`;
    writeFileSync(at('exec'), exec);
    const flags = `--base-url ${url} --every 1s --for 0s --exec '. ${at('exec')}'`;
    await runScript(['-c', `connectorctl connector monitor ${flags} | true`], {
      directory: at(),
      env,
    });
    expect(deliveries().map(({events}) => events.map(({subject}) => subject))).to.deep.equal([
      ['web-2'],
      ['web-2'],
      ['web-3'],
    ]);
  });

  it('refuses to look when nobody would get what it tells', async () => {
    const {url} = await thirdPartyService(fleet(1));
    const flags = `--once --state ${at('state')} --base-url ${url}`;
    for (const to of ['>&-', '> /dev/null']) {
      const script = `connectorctl connector monitor ${flags} ${to}`;
      const {code, stderr} = await runScript(['-c', script], {directory: at(), env});
      expect(code).to.equal(2);
      expect(stderr).to.include('would be lost: stdout is closed or discarded');
    }
    expect(() => readFileSync(at('state'))).to.throw('ENOENT');
  });

  it('refuses an empty inventory, which would end all problems', async () => {
    writeFileSync(at('fleet.csv'), 'name\n');
    const [, run] = await looks([fleet(1), fleet(1)], '--expect', at('fleet.csv'));
    expect(run).to.include({code: 2, stdout: ''});
    expect(run?.stderr).to.include('The inventory is empty.');
  });

  it('tells of a service that gives no response, and exits with its error', async () => {
    const away = json({}, 503);
    const runs = await looks([fleet(1), away, away, fleet(1)]);
    expect(runs.map(({code}) => code)).to.deep.equal([9, 6, 6, 9]);
    const told = runs.map(({stdout}) => stdout.split('\n')[1]?.split(' ')[1] ?? '');
    expect(told).to.deep.equal(['', 'began:', '', 'ended:']);
  });

  it('writes an error before its first line on one line, without characters that affect a terminal', async () => {
    const [run] = await looks([json({message: 'a\u009bb'}, 401)], '--json');
    expect(run?.code).to.equal(3);
    expect(run?.stdout).to.match(/^\{"error":.*a\\u009bb.*\}\n$/);
  });

  it('refuses what would never work at its first look', async () => {
    const [run] = await looks([json({error: {code: 'key_unknown'}}, 401)]);
    expect(run?.code).to.equal(3);
    expect(() => readFileSync(at('state'))).to.throw('ENOENT');
  });

  it('exits 143 when SIGTERM stops --once, and delivers with the next run', async () => {
    const {url} = await thirdPartyService(fleet(1));
    const flags = ['--once', '--initial', '--state', at('state'), '--base-url', url];
    const hanging = ['connector', 'monitor', ...flags, '--exec', 'echo up >&2; sleep 1000'];
    const child = startChild(hanging, {env});
    await once(createInterface({input: child.process.stderr!}), 'line');
    child.process.kill('SIGTERM');
    expect((await child.ended).code).to.equal(143);
    const exec = `cat >> ${at('events')}`;
    const next = ['connector', 'monitor', ...flags, '--exec', exec];
    expect((await startChild(next, {env}).ended).code).to.equal(9);
    expect(deliveries().map(({events}) => events.length)).to.deep.equal([1]);
  });
});
