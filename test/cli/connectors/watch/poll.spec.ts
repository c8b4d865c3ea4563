import {setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import {program} from '../../../support/child.js';
import {killLiveChildren, liveChild} from '../../../support/live-child.js';
import {reading} from '../../../support/render.js';
import {closeTerminals, openProgram, openTerminal} from '../../../support/terminal.js';
import {
  closeThirdPartyServices,
  inTurn,
  json,
  thirdPartyService,
} from '../../../support/third-party-service.js';

const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

const a = reading({id: 'a', name: 'one', status: 'online'});
const b = reading({id: 'b', name: 'two\x1b[2J', status: 'never'});
const watching = ['connector', 'list', '--watch'];

describe('the process of connector list --watch', () => {
  afterEach(async () => {
    await killLiveChildren();
    await closeTerminals();
    await closeThirdPartyServices();
  });

  const service = async (...lists: Parameters<typeof json>[]) => {
    const {url} = await thirdPartyService(inTurn(...lists.map((list) => json(...list))));
    return {env: {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1'}};
  };

  it('writes changes to a pipe until SIGTERM, then exits with 0', async () => {
    const {env} = await service([[a.raw]], [[a.raw, b.raw]]);
    const child = liveChild([...watching, '--sort', 'name'], {env});
    await child.until(/\+ b/);
    child.signal('SIGTERM');
    expect(await child.ended()).to.deep.equal({code: 0, signal: null});
    expect(child.stdout().replace(times, 'TIME')).to.equal(
      'TIME + a online one\nTIME + b never two\\x1b[2J\n',
    );
    expect(child.stderr()).to.equal('');
  });

  it('writes an error after the first lines to stderr, so that stdout contains only JSON lines', async () => {
    const {env} = await service([[a.raw]], [{}, 401]);
    const child = liveChild([...watching, '--json'], {env});
    expect(await child.ended()).to.deep.equal({code: 3, signal: null});
    const [first = ''] = child.stdout().split('\n');
    const {at, ...change} = JSON.parse(first);
    expect(at).to.match(times);
    expect(change).to.deep.equal({change: 'added', connector: a.raw});
    expect(child.stderr()).to.match(/^Error: Cannot list the connectors: .* 401/);
  });

  const entered = '\x1b[?1049h\x1b[?25l\x1b[?7l';
  const left = '\x1b[?7h\x1b[?25h\x1b[?1049l';

  for (const [signal, end] of [
    ['SIGINT', {code: 0, signal: undefined}],
    ['SIGTERM', {code: 0, signal: undefined}],
    ['SIGHUP', {code: 0, signal: 1}],
  ] as const) {
    it(`redraws the list on a terminal, and restores the terminal on ${signal}`, async () => {
      const {env} = await service([[a.raw]]);
      const terminal = openTerminal(watching, {env});
      await terminal.until(/1 connector\. q or Ctrl-C ends\./);
      expect(terminal.screen()[0]).to.match(/^ID .* LAST HEARTBEAT$/);
      terminal.kill(signal);
      expect(await terminal.ended).to.deep.equal(end);
      expect(terminal.written().startsWith(entered)).to.equal(true);
      expect(terminal.written().endsWith(left)).to.equal(true);
      expect(terminal.screen()).to.deep.equal([]);
    });
  }

  it('restores the terminal before it writes an error', async () => {
    const {env} = await service([[a.raw]], [{}, 403]);
    const terminal = openTerminal(watching, {env});
    expect(await terminal.ended).to.include({code: 3});
    expect(terminal.screen()[0]).to.match(/^Error: Cannot list the connectors: .* 403/);
  });

  it('keeps the last list and shows the error while the service is unavailable', async () => {
    const {env} = await service([[a.raw]], [{message: 'b\u001by'}, 500], [[a.raw, b.raw]]);
    const terminal = openTerminal(watching, {env, columns: 160});
    await terminal.until(/1 connector\./);
    await terminal.until(/a {2}.*one.*500 Internal Server Error: b\\x1by.*1 connector, as of/s);
    await terminal.until(/two\\x1b\[2J.*2 connectors\. q or/s);
  });

  it('fits the list to the terminal, even after the terminal becomes smaller', async () => {
    const connectors = Array.from({length: 30}, (_, index) => ({
      id: `con_${index}`,
      name: 'x'.repeat(50),
      status: 'online',
    }));
    const {env} = await service([connectors]);
    const terminal = openTerminal(watching, {env, columns: 100, rows: 20});
    await terminal.until(/1–18 of 30\. q ends, arrows scroll\./);
    expect(terminal.screen()).to.have.length(20);
    terminal.resize(40, 6);
    await terminal.until(/1–4 of 30/);
    expect(terminal.screen()).to.deep.equal([
      `ID     NAME${' '.repeat(23)}STATUS`,
      ...[0, 1, 2, 3].map((id) => `con_${id}  ${'x'.repeat(24)}…  online`),
      '1–4 of 30. q ends, arrows scroll.',
    ]);
  });

  it('writes lines to a terminal that cannot redraw', async () => {
    const {env} = await service([[a.raw]], [[a.raw, b.raw]]);
    const terminal = openTerminal(watching, {env: {...env, TERM: 'dumb'}});
    await terminal.until(/\+ b/);
    terminal.kill('SIGTERM');
    expect(await terminal.ended).to.deep.equal({code: 0, signal: undefined});
    expect(terminal.written().replace(times, 'TIME')).to.equal(
      'TIME + a online one\r\nTIME + b never two\\x1b[2J\r\n',
    );
  });

  for (const key of ['q', '\x03']) {
    it(`ends on the key ${JSON.stringify(key)}, and does not echo other keys`, async () => {
      const {env} = await service([[a.raw]]);
      const terminal = openTerminal(watching, {env});
      await terminal.until(/1 connector\. q or Ctrl-C ends\./);
      const before = terminal.screen();
      terminal.type('hello\r\n');
      terminal.resize(81, 24);
      await terminal.until(/1 connector\. q or Ctrl-C ends\./);
      expect(terminal.written()).not.to.include('hello');
      expect(terminal.screen()).to.have.length(before.length);
      terminal.type(key);
      expect(await terminal.ended).to.deep.equal({code: 0, signal: undefined});
      expect(terminal.screen()).to.deep.equal([]);
    });
  }

  it('polls again at once when a key scrolls during a poll, and shows no other connectors', async () => {
    const list = Array.from({length: 2000}, (_, at) => ({id: `con_${at}`, name: `n${at}`}));
    const started: (() => void)[] = [];
    const [second, third] = [1, 2].map(
      (poll) => new Promise<void>((resolve) => (started[poll] = resolve)),
    );
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const {url} = await thirdPartyService((seen, response, index) => {
      started[index]?.();
      const respond = () => json(list)(seen, response, index);
      if (index === 1) void released.then(respond);
      else respond();
    });
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1'};
    const terminal = openTerminal([...watching, '--interval', '1h'], {env, rows: 12});
    await terminal.until(/1–10 of 2000/);
    terminal.type('\x1b[F');
    await second;
    terminal.type('\x1b[H\x1b[B');
    // The keys are not echoed, so the size of the terminal shows that the process has read them.
    terminal.resize(81, 12);
    await terminal.until(/2–11 of 2000/);
    release();
    await third;
    await terminal.until(/2–11 of 2000/);
    expect(terminal.screen()[1]).to.match(/^con_1 /);
    expect(terminal.written()).not.to.match(/con_1[5-9]\d\d/);
    terminal.type('q');
    await terminal.ended;
  });

  it('keeps the connectors on the screen when it redraws before the poll that a key asks for', async () => {
    const list = Array.from({length: 2000}, (_, at) => ({id: `con_${at}`, name: `n${at}`}));
    let asked = () => {};
    let release = () => {};
    const third = new Promise<void>((resolve) => (asked = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const {url} = await thirdPartyService((seen, response, index) => {
      const respond = () => json(list)(seen, response, index);
      if (index < 2) return respond();
      asked();
      void released.then(respond);
    });
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1'};
    const terminal = openTerminal([...watching, '--interval', '1h'], {env, rows: 12});
    await terminal.until(/1–10 of 2000/);
    terminal.type('\x1b[F');
    await terminal.until(/1991–2000 of 2000/);
    terminal.type('\x1b[H');
    await third;
    const before = terminal.written().length;
    terminal.resize(81, 12);
    while (terminal.written().length === before) await setImmediate();
    await terminal.until(/of 2000/);
    expect(terminal.screen()[1]).to.match(/^con_1990 /);
    expect(terminal.screen().at(-1)).to.match(/^1991–2000 of 2000/);
    release();
    await terminal.until(/1–10 of 2000/);
    expect(terminal.screen()[1]).to.match(/^con_0 /);
    terminal.type('q');
    await terminal.ended;
  });

  for (const sort of [[], ['--sort', 'name']]) {
    it(`scrolls by keys beyond the connectors of one poll ${sort.length > 0 ? sort.join(' ') : 'without --sort'}`, async () => {
      const list = Array.from({length: 3000}, (_, at) => ({
        id: `con_${at}`,
        name: `n${1000 + at}`,
        status: 'online',
      }));
      const {env} = await service([list]);
      // Without a key, the next poll would come too late for the test.
      const words = [...watching, '--interval', '1h', ...sort];
      const terminal = openTerminal(words, {env, rows: 12});
      const steps = [
        ['', '1–10', 'con_0'],
        ['\x1b[B\x1b[B', '3–12', 'con_2'],
        ['\x1b[A', '2–11', 'con_1'],
        ['\x1b[6~', '12–21', 'con_11'],
        ['\x1bOA', '11–20', 'con_10'],
        ['\x1b[5~', '1–10', 'con_0'],
        ['\x1b[5~\x1b[A', '1–10', 'con_0'],
        ['\x1b[F', '2991–3000', 'con_2990'],
        ['\x1b[B', '2991–3000', 'con_2990'],
        ['\x1b[5~', '2981–2990', 'con_2980'],
        ['\x1b[H', '1–10', 'con_0'],
      ] as const;
      for (const [keys, range, first] of steps) {
        terminal.type(keys);
        await terminal.until(new RegExp(`\\b${range} of 3000`));
        expect(terminal.screen()[1]).to.match(new RegExp(`^${first} `));
      }
      terminal.type('q');
      expect(await terminal.ended).to.deep.equal({code: 0, signal: undefined});
    });
  }

  it('polls at the interval of --interval', async () => {
    const polledAt: number[] = [];
    const {url} = await thirdPartyService((...request) => {
      polledAt.push(performance.now());
      json(polledAt.length < 3 ? [a.raw] : [a.raw, b.raw])(...request);
    });
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1'};
    // Longer than by default: a busy machine can only add to it.
    const child = liveChild([...watching, '--interval', '3s'], {env});
    await child.until(/\+ b/);
    expect(polledAt[2]! - polledAt[0]!).to.be.at.least(2 * 3000 - 100);
    child.signal('SIGTERM');
    await child.ended();
  });

  it('restores the terminal on Ctrl-Z, and redraws when it continues', async () => {
    const {env} = await service([[a.raw]]);
    const terminal = openTerminal(watching, {env});
    await terminal.until(/1 connector\. q or Ctrl-C ends\./);
    terminal.type('\x1a');
    await terminal.until(/^(?!.*connector)/s);
    // Repeated, because the process restores the terminal before it stops.
    const goOn = setInterval(() => terminal.kill('SIGCONT'), 20);
    await terminal.until(/1 connector\. q or Ctrl-C ends\./);
    clearInterval(goOn);
    terminal.type('\x03');
    expect(await terminal.ended).to.deep.equal({code: 0, signal: undefined});
    expect(terminal.screen()).to.deep.equal([]);
  });

  it('shows the columns that --columns names', async () => {
    const {env} = await service([[a.raw]]);
    const terminal = openTerminal([...watching, '--columns', 'status,name'], {env});
    await terminal.until(/1 connector\./);
    expect(terminal.screen().slice(0, 2)).to.deep.equal(['STATUS  NAME', 'online  one']);
    terminal.type('q');
    await terminal.ended;
  });

  it('reads its keys from the terminal when stdin is another file', async () => {
    const {env} = await service([[a.raw]]);
    const terminal = openTerminal(watching, {env, prepare: 'exec </dev/null'});
    await terminal.until(/1 connector\. q or Ctrl-C ends\./);
    terminal.type('q');
    expect(await terminal.ended).to.deep.equal({code: 0, signal: undefined});
  });

  for (const how of ['started in the background', 'stopped by Ctrl-Z and continued by bg']) {
    it(`ends on SIGTERM with 0, without touching the terminal, when ${how}`, async () => {
      let polled = () => {};
      const isPolling = new Promise<void>((resolve) => (polled = resolve));
      const {url} = await thirdPartyService((...request) => {
        polled();
        json([a.raw])(...request);
      });
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1'};
      const shell = openProgram(['/bin/sh', '-i'], {env: {...env, PS1: 'PROMPT '}, columns: 200});
      await shell.until(/PROMPT/);
      const command = [...program, ...watching].map((word) => `'${word}'`).join(' ');
      if (how.startsWith('started')) {
        shell.type(`${command} &\r`);
        await isPolling;
      } else {
        shell.type(`${command}\r`);
        await shell.until(/1 connector\. q or Ctrl-C ends\./);
        shell.type('\x1a');
        // Typed before the prompt, the echo and the reply of the shell would share lines with it.
        await shell.until(/Stopped.*\nPROMPT$/s);
        shell.type('bg\r');
        await shell.until(/^\[1\] (?!.*Stopped)/m);
      }
      shell.type('kill -TERM %1; wait %1; echo "code $?"\r');
      await shell.until(/code 0$/m);
      expect(shell.screen().join('\n')).not.to.match(/tty (?:in|out)put/);
    });
  }
});
