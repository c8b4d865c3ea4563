import {expect} from 'chai';
import {ProcessIo} from '../../../src/cli/process/io.js';
import {Output} from '../../../src/cli/process/output.js';

const mebibyte = 1024 * 1024;

describe('an output whose reader is slow', () => {
  let waiting: number;
  let written: string[];

  beforeEach(() => {
    waiting = 0;
    written = [];
  });

  it('drops whole lines once 7 MiB wait, and says before the next one how many', () => {
    const sink = {write: (text: string) => void written.push(text), drained: async () => undefined};
    const output = new Output(
      Object.defineProperty({...sink, waiting: 0}, 'waiting', {get: () => waiting}),
    );
    const offer = (text: string, isAudit = false) => output.write(text, {isAudit});
    waiting = 7 * mebibyte - 2;
    const begun = [output.hasBegun];
    offer('a\n');
    expect([...begun, output.hasBegun]).to.deep.equal([false, true]);
    offer('lost\n');
    offer('lost\n');
    expect(written).to.deep.equal(['a\n']);
    // Audit records have room that other lines do not fill.
    expect(output.hasRoom()).to.equal(true);
    offer('audit\n', true);
    offer('b\n');
    const notice = '2 lines were dropped: nobody read this output.\n';
    expect(written).to.deep.equal(['a\n', `${notice}audit\n`, 'b\n']);
    waiting = 8 * mebibyte;
    expect(output.hasRoom()).to.equal(false);
  });

  it('is stdout: the count of its lost lines goes to stderr, because stdout may hold JSON', () => {
    const {stdout, stderr} = process;
    const writer = (name: string) => (text: string) => written.push(`${name} ${text}`) > 0;
    const kept = [stdout.write, stderr.write] as const;
    const io = new ProcessIo(['serve'], false);
    try {
      stdout.write = writer('out');
      stderr.write = writer('err');
      Object.defineProperty(stdout, 'writableLength', {get: () => waiting, configurable: true});
      waiting = 8 * mebibyte;
      void io.line('lost');
      io.tellUnread();
      waiting = 0;
      io.tellUnread();
      void io.line('a');
    } finally {
      Reflect.deleteProperty(stdout, 'writableLength');
      [stdout.write, stderr.write] = kept;
    }
    expect(written).to.deep.equal([
      `err Stopped with about ${8 * mebibyte} bytes of output that nobody read.\n`,
      'err 1 line was dropped: nobody read stdout.\n',
      'out a\n',
    ]);
  });
});

describe('a terminal', () => {
  const {setInterval} = globalThis;
  const {write} = process.stderr;
  const onTerminal = (env: NodeJS.ProcessEnv, stdin = true, stderr = true) => {
    Object.assign(process.stdin, {isTTY: stdin});
    Object.assign(process.stderr, {isTTY: stderr});
    Object.assign(process.env, {CI: '', TERM: '', ...env});
    return new ProcessIo(['connector', 'get'], false);
  };

  afterEach(() => {
    Object.assign(process.stderr, {write});
    Object.assign(globalThis, {setInterval});
    onTerminal({}, false, false);
  });

  it('has prompts where a user can answer them, and not in CI or with --no-input', () => {
    for (const CI of ['', '0', 'false']) expect(onTerminal({CI}).canPrompt).to.equal(true);
    const asked = onTerminal({});
    asked.begin('connector:enroll', {'no-input': true});
    expect(asked.canPrompt).to.equal(false);
    expect(onTerminal({CI: 'true'}).canPrompt).to.equal(false);
    expect(onTerminal({}, false, true).canPrompt).to.equal(false);
    expect(onTerminal({}, true, false).canPrompt).to.equal(false);
  });

  it('has a line about a wait, which goes before any other output', () => {
    for (const [env, line] of [
      [{}, ['\r\x1b[K\x1b[?7lWaiting 0s\x1b[?7h', '\r\x1b[K']],
      [{CI: 'true'}, []],
      [{TERM: 'dumb'}, []],
    ] as const) {
      const written: string[] = [];
      let tick = () => {};
      Object.assign(process.stderr, {write: (text: string) => written.push(text)});
      const start = (given: () => void) => {
        tick = given;
      };
      Object.assign(globalThis, {setInterval: start});
      const io = onTerminal(env);
      io.progress(() => 'Waiting');
      tick();
      io.error('a');
      tick();
      io.log.write('b\n');
      expect(written).to.deep.equal([...line, 'a\n', ...line, 'b\n']);
    }
  });
});
