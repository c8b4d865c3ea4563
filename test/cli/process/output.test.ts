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
    const offer = (text: string, isAudit = false) =>
      output.write(text, {notice: (dropped) => `${dropped} dropped\n`, isAudit});
    waiting = 7 * mebibyte - 2;
    offer('a\n');
    offer('lost\n');
    offer('lost\n');
    expect(written).to.deep.equal(['a\n']);
    // Audit records have room that other lines do not fill.
    expect(output.hasRoom()).to.equal(true);
    offer('audit\n', true);
    offer('b\n');
    expect(written).to.deep.equal(['a\n', '2 dropped\naudit\n', 'b\n']);
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
      waiting = 0;
      void io.line('a');
    } finally {
      Reflect.deleteProperty(stdout, 'writableLength');
      [stdout.write, stderr.write] = kept;
    }
    expect(written).to.deep.equal(['err 1 line was dropped: nobody read stdout.\n', 'out a\n']);
  });
});
