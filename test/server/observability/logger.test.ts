import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {pathToFileURL} from 'node:url';
import {expect} from 'chai';
import {createLogger} from '../../../src/server/observability/logger.js';
import {StoreError} from '../../../src/store/store.js';
import {noColors} from '../../../src/terminal/escape.js';
import {refuseStale} from '../../support/build/fresh.js';
import {root} from '../../support/sources.js';
import {activationToken, connectorKey} from '../../support/values/secrets.js';

type Level = Parameters<typeof createLogger>[0];

/** What a log writes, as text. */
function written(
  level: Level,
  use: (log: ReturnType<typeof createLogger>) => void,
  palette?: typeof noColors,
): string {
  let all = '';
  const write = (line: string) => {
    all += line;
  };
  use(createLogger(level, {write, hasRoom: () => true}, {keepsAudit: true, palette}));
  return all;
}

const linesOf = (all: string) =>
  all
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the log', () => {
  it('has lines of JSON', () => {
    const all = written('info', (log) => {
      log.info({n: 1}, 'a');
      log.warn({}, 'b');
    });
    const lines = linesOf(all);
    expect(lines.map(({level, msg}) => `${level} ${msg}`)).to.deep.equal(['info a', 'warn b']);
    expect(lines[0]).to.include({n: 1});
    expect(lines[0].time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  for (const level of ['info', 'error', 'silent'] as const) {
    it(`keeps audit records with the level ${level}, and omits other lines below it`, () => {
      const all = written(level, (log) => {
        log[level === 'info' ? 'debug' : 'warn']({}, 'a');
        log.audit({audit: 'key_created'}, 'audit');
      });
      expect(linesOf(all)).to.have.length(1);
      expect(linesOf(all)[0]).to.include({level: 'info', audit: 'key_created', msg: 'audit'});
    });
  }

  it('has one readable line per record on a terminal, and the stack of an error', () => {
    const all = written(
      'info',
      (log) => {
        log.info({n: 1, what: 'a b'}, 'hello');
        log.warn({}, 'careful\u001b');
        log.audit({audit: 'key_created', key_id: 'key_1'}, 'audit');
        log.error({err: new Error('bad')}, 'failed');
      },
      noColors,
    );
    expect(all).to.match(
      /^[\d:]{8} hello n=1 what="a b"\n[\d:]{8} WARN careful\\x1b\n[\d:]{8} audit key_created key_id=key_1\n[\d:]{8} ERROR failed\nError: bad\n {4}at /,
    );
  });

  it('has the messages of an expected error and its causes, without a stack', () => {
    const err = new StoreError('full', 'The disk is full', {cause: new Error('ENOSPC')});
    const [line] = linesOf(written('info', (log) => log.error({err}, 'store_full')));
    expect(line.err).to.deep.equal({type: 'StoreError', message: 'The disk is full: ENOSPC'});
  });

  for (const palette of [undefined, noColors]) {
    it(`redacts secrets${palette ? ' in the text for people' : ''}`, () => {
      const [token, key] = [activationToken(), connectorKey(2)];
      const err = new Error(`bad token ${token}`);
      const all = written('info', (log) => log.error({err, key}, token), palette);
      expect(all).not.to.include(token.slice(4, 20)).and.not.include(key.slice(4, 20));
      expect(all).to.include('act_[redacted]').and.include('cck_[redacted]');
    });
  }
});

describe('the log of a process', () => {
  before(() => refuseStale('build/cli/process/io.js'));

  /** Arguments of a process that runs these log statements. */
  function logging(statements: string): string[] {
    const module = (name: string) => pathToFileURL(join(root, 'build', name)).href;
    const script = `const {createLogger} = await import('${module('server/observability/logger.js')}');
      const {ProcessIo} = await import('${module('cli/process/io.js')}');
      const io = new ProcessIo([], true);
      const log = createLogger('info', io.log, {keepsAudit: true});
      ${statements}`;
    return ['--input-type=module', '-e', script];
  }

  for (const [reason, preloaded] of [
    ['its reader is gone', []],
    ['its disk is full', ['--require', join(root, 'test/support/preload/full-log.cjs')]],
  ] as const) {
    it(`does not keep it from ending when ${reason}`, async () => {
      const last = `for await (const _ of process.stdin); log.info({}, 'last'); process.exit(0);`;
      const child = spawn(process.execPath, [...preloaded, ...logging(last)]);
      child.stderr.destroy();
      child.stdin.end();
      const limit = setTimeout(() => child.kill('SIGKILL'), 120_000);
      expect(await once(child, 'exit')).to.deep.equal([0, null]);
      clearTimeout(limit);
    });
  }

  it('has every line on stderr, however late its reader reads', async () => {
    const child = spawn(
      process.execPath,
      logging(`
        const line = 'x'.repeat(10_000);
        process.stdout.write('begun');
        for (let count = 0; count < 50; count += 1) log.audit({count}, line);`),
    );
    // The lines do not fit into the pipe, so the process does not end before they are read.
    await once(child.stdout, 'readable');
    expect(linesOf(await text(child.stderr)).map(({count}) => count)).to.deep.equal([
      ...Array(50).keys(),
    ]);
    expect(await text(child.stdout)).to.equal('begun');
  });

  it('has each line when the call returns, also if the process is killed then', async () => {
    const statements = `log.audit({}, 'kept'); process.kill(process.pid, 'SIGKILL');`;
    const child = spawn(process.execPath, logging(statements));
    expect(JSON.parse(await text(child.stderr))).to.include({msg: 'kept'});
  });
});
