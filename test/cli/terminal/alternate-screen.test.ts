import {EventEmitter} from 'node:events';
import {expect} from 'chai';
import {AlternateScreen, type Terminal} from '../../../src/cli/terminal/alternate-screen.js';

const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const leave = '\x1b[?7h\x1b[?25h\x1b[?1049l';

class FakeTerminal extends EventEmitter {
  columns = 80;
  rows = 24;
  written = '';
  write(text: string): boolean {
    this.written += text;
    return true;
  }
}

const signals = ['exit', 'SIGTSTP', 'SIGCONT', 'SIGQUIT'] as const;
const listeners = () => signals.map((signal) => process.listenerCount(signal));

describe('the alternate screen', () => {
  it('restores the terminal and removes its listeners when it closes', () => {
    const before = listeners();
    const terminal = new FakeTerminal();
    const screen = new AlternateScreen(terminal as unknown as Terminal, () => undefined);
    screen.draw(['a', 'b']);
    screen.close();
    screen.close();
    screen.draw(['too late']);
    expect(terminal.written).to.equal(`${enter}\x1b[H\x1b[Ka\r\n\x1b[Jb${leave}`);
    expect(listeners()).to.deep.equal(before);
    expect(terminal.listenerCount('resize')).to.equal(0);
  });

  it('redraws when the terminal size changes, and reports the new size', () => {
    const terminal = new FakeTerminal();
    let redrawn = 0;
    const screen = new AlternateScreen(terminal as unknown as Terminal, () => {
      redrawn += 1;
    });
    terminal.columns = 40;
    terminal.emit('resize');
    expect(redrawn).to.equal(1);
    expect(screen.size).to.deep.equal({columns: 40, rows: 24});
    terminal.columns = 0;
    expect(screen.size).to.deep.equal({columns: 80, rows: 24});
    screen.close();
  });

  it('restores the terminal when the process exits', () => {
    const terminal = new FakeTerminal();
    const screen = new AlternateScreen(terminal as unknown as Terminal, () => undefined);
    const [onExit] = process.listeners('exit').slice(-1);
    onExit?.(0);
    expect(terminal.written).to.equal(enter + leave);
    screen.close();
  });

  it('leaves the terminal alone in the background, until it is in the foreground', () => {
    const terminal = new FakeTerminal();
    let mayUse = false;
    const screen = new AlternateScreen(
      terminal as unknown as Terminal,
      () => screen.draw(['a']),
      () => undefined,
      () => undefined,
      () => mayUse,
    );
    const resume = () => process.listeners('SIGCONT').at(-1)?.('SIGCONT');
    screen.draw(['unseen']);
    resume();
    expect(terminal.written).to.equal('');
    mayUse = true;
    resume();
    const shown = `${enter}\x1b[H\x1b[Ja`;
    expect(terminal.written).to.equal(shown);
    mayUse = false;
    screen.close();
    expect(terminal.written).to.equal(shown);
  });
});
