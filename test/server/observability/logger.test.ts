import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {formatSecret} from '../../../src/domain/secret.js';
import {refuseStale} from '../../support/fresh.js';
import {root} from '../../support/sources.js';

const run = promisify(execFile);
const built = (path: string) => JSON.stringify(pathToFileURL(join(root, 'build', path)).href);
const token = formatSecret('activationToken', new Uint8Array(32).fill(1));
const connectorKey = formatSecret('connectorKey', new Uint8Array(32).fill(2));

/** Arguments of a process that runs these log statements. */
function logging(level: string, forPeople: boolean, statements: string): string[] {
  const script = `const {createLogger} = await import(${built('server/observability/logger.js')});
    const {noColors: palette} = await import(${built('terminal/palette.js')});
    const write = (text) => process.stderr.write(text);
    const log = createLogger(${JSON.stringify(level)}, {keepsAudit: true, ${forPeople ? 'palette, write' : ''}});
    ${statements}`;
  return ['--input-type=module', '-e', script];
}

/** Stdout and stderr of a process that runs these log statements. */
function logged(level: string, forPeople: boolean, statements: string) {
  return run(process.execPath, logging(level, forPeople, statements));
}

const leaks = `log.error({err: new Error('bad token ${token}'), key: '${connectorKey}'}, '${token}');`;

describe('the log', () => {
  before(() => refuseStale('build/cli/main.js'));

  it('writes JSON lines to stderr, and nothing to stdout', async () => {
    const {stdout, stderr} = await logged(
      'info',
      false,
      `log.info({n: 1}, 'a'); log.warn({}, 'b');`,
    );
    expect(stdout).to.equal('');
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({level, msg}) => `${level} ${msg}`)).to.deep.equal(['info a', 'warn b']);
    expect(lines[0]).to.include({n: 1});
    expect(lines[0].time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  for (const [reason, preloaded] of [
    ['its reader is gone', []],
    ['its disk is full', ['--require', join(root, 'test/support/full-log.cjs')]],
  ] as const) {
    it(`does not keep a process from ending when ${reason}`, async () => {
      const last = `for await (const _ of process.stdin); log.info({}, 'last'); process.exit(0);`;
      const child = spawn(process.execPath, [...preloaded, ...logging('info', false, last)]);
      child.stderr.destroy();
      child.stdin.end();
      const limit = setTimeout(() => child.kill('SIGKILL'), 120_000);
      expect(await once(child, 'exit')).to.deep.equal([0, null]);
      clearTimeout(limit);
    });
  }

  it('omits lines below its level', async () => {
    const {stderr} = await logged('warn', false, `log.info({}, 'a'); log.warn({}, 'b');`);
    expect(stderr).to.match(/^[^\n]*"b"[^\n]*\n$/);
  });

  for (const level of ['info', 'error', 'silent']) {
    it(`keeps audit records with the level ${level}`, async () => {
      const {stderr} = await logged(level, false, `log.audit({audit: 'key_created'}, 'audit');`);
      expect(JSON.parse(stderr)).to.include({level: 'info', audit: 'key_created', msg: 'audit'});
    });
  }

  it('has every line, however late its reader reads', async () => {
    const statements = `
      const line = 'x'.repeat(10_000);
      for (let count = 0; count < 50; count += 1) log.audit({count}, line);`;
    const child = spawn(process.execPath, logging('info', false, statements));
    // The lines do not fit into the pipe, so the process has not ended yet.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(child.exitCode).to.equal(null);
    const lines = (await text(child.stderr)).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).count)).to.deep.equal([...Array(50).keys()]);
  });

  it('has each line when the call returns, also if the process is killed then', async () => {
    const {stderr} = await logged(
      'info',
      false,
      `log.audit({}, 'kept'); process.kill(process.pid, 'SIGKILL');`,
    ).catch((error: {stderr: string}) => error);
    expect(JSON.parse(stderr)).to.include({msg: 'kept'});
  });

  it('has one readable line per record on a terminal', async () => {
    const {stderr} = await logged(
      'info',
      true,
      `log.info({n: 1, what: 'a b'}, 'hello'); log.warn({}, 'careful\\u001b');
      log.audit({audit: 'key_created', key_id: 'key_1'}, 'audit');`,
    );
    expect(stderr).to.match(
      /^[\d:]{8} hello n=1 what="a b"\n[\d:]{8} WARN careful\\x1b\n[\d:]{8} audit key_created key_id=key_1\n$/,
    );
  });

  it('shows the stack of an error on a terminal', async () => {
    const {stderr} = await logged('info', true, `log.error({err: new Error('bad')}, 'failed');`);
    expect(stderr).to.match(/ ERROR failed\nError: bad\n {4}at /);
  });

  it('has the messages of an expected error and its causes, without a stack', async () => {
    const {stderr} = await logged(
      'info',
      false,
      `const {StoreError} = await import(${built('store/store.js')});
      const cause = new Error('ENOSPC');
      log.error({err: new StoreError('full', 'The disk is full', {cause})}, 'store_full');`,
    );
    expect(JSON.parse(stderr).err).to.deep.equal({
      type: 'StoreError',
      message: 'The disk is full: ENOSPC',
    });
  });

  for (const forPeople of [false, true]) {
    it(`redacts secrets${forPeople ? ' in the text for people' : ''}`, async () => {
      const {stderr} = await logged('info', forPeople, leaks);
      expect(stderr).not.to.include(token.slice(4, 20));
      expect(stderr).not.to.include(connectorKey.slice(4, 20));
      expect(stderr).to.include('act_[redacted]').and.include('cck_[redacted]');
    });
  }
});
