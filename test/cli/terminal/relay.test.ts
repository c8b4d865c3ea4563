import type {ChildProcess} from 'node:child_process';
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, constants, openSync, readFileSync, readSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect} from 'chai';
import {Relay} from '../../../src/cli/terminal/relay.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('the relay of messages', () => {
  const at = temporaryDirectory();
  const children: ChildProcess[] = [];
  const noted = (child: ChildProcess) => void children.push(child);
  const direct = () => expect.fail('it wrote itself');

  it('writes each line to its descriptor, and ends with what it was given', async () => {
    const fd = openSync(at('log'), 'w');
    const relay = new Relay({fd, write: direct}, noted);
    relay.write('a  \\n %s\n');
    relay.write('é\n');
    await relay.close();
    closeSync(fd);
    expect(readFileSync(at('log'), 'utf8')).to.equal('a  \\n %s\né\n');
  });

  it('drops lines while nobody reads, says how many once it can, and does not wait to end', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const reader = openSync(at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
    const fd = openSync(at('pipe'), 'w');
    const relay = new Relay({fd, write: direct}, noted);
    const line = `${'x'.repeat(1023)}\n`;
    for (let count = 0; count < 2000; count += 1) relay.write(line);
    const bytes = Buffer.alloc(1 << 20);
    let read = '';
    while (!/^\d+ messages were lost: stderr was full\.$/m.test(read)) {
      try {
        read += bytes.toString('latin1', 0, readSync(reader, bytes));
      } catch {
        await sleep(1);
      }
    }
    const [lost] = /\d+(?= messages)/.exec(read) ?? [];
    expect(read.match(/^x+$/gm)).to.have.length(2000 - Number(lost));
    for (let count = 0; count < 2000; count += 1) relay.write(line);
    const [child] = children.slice(-1);
    const ended = once(child!, 'exit');
    await relay.close();
    expect((await ended)[1]).to.equal('SIGKILL');
    closeSync(reader);
    closeSync(fd);
  });

  it('starts another process after the end of the first', async () => {
    const fd = openSync(at('log'), 'w');
    const relay = new Relay({fd, write: direct}, noted);
    relay.write('first\n');
    const [first] = children.slice(-1);
    while (readFileSync(at('log'), 'utf8') === '') await sleep(1);
    first!.kill('SIGKILL');
    await once(first!, 'exit');
    relay.write('second\n');
    await relay.close();
    closeSync(fd);
    expect(readFileSync(at('log'), 'utf8')).to.equal('first\nsecond\n');
  });
});
