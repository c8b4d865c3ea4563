import {expect} from 'chai';
import manifest from '../../../oclif.manifest.json' with {type: 'json'};
import {ProcessIo} from '../../../src/cli/process/io.js';
import {
  type Lifetime,
  lifetimeOf,
  lifetimeOfWords,
  type lifetimes,
} from '../../../src/cli/process/lifetime.js';

const lost = {what: 'The ticks'} as const;

/** Rows with which a command would end wrong. The compiler is the test: it refuses each of them. */
const _refused: readonly Lifetime[] = [
  // @ts-expect-error it goes on without its reader, and does not say what goes on
  {stdout: 'stream', readerGone: 'go-on', signal: 'drain', json: 'lines'},
  // @ts-expect-error it has nothing to go on with
  {stdout: 'stream', readerGone: 'go-on', signal: 'drain', json: 'lines', lost},
  // @ts-expect-error it ends with its reader, and does not say what is lost without one
  {stdout: 'stream', readerGone: 'end', signal: 'drain', json: 'lines'},
  // @ts-expect-error a result that is kept elsewhere is not lost with its reader
  {stdout: 'result', readerGone: 'error', signal: 'report', json: 'value'},
  // @ts-expect-error a result is not the normal end of a signal
  {stdout: 'result', readerGone: 'go-on', signal: 'drain', json: 'value'},
  // @ts-expect-error a result is one value
  {stdout: 'result', readerGone: 'go-on', signal: 'report', json: 'lines'},
  // @ts-expect-error the only copy is lost with its reader
  {stdout: 'only-copy', readerGone: 'go-on', signal: 'report', json: 'value', lost},
  // @ts-expect-error it does not say what is lost
  {stdout: 'only-copy', readerGone: 'error', signal: 'report', json: 'value'},
  // @ts-expect-error a wrapped command gets the signals
  {stdout: 'of-the-command', readerGone: 'go-on', signal: 'drain', json: 'own'},
  // @ts-expect-error nothing is a sentence about what goes on
  {stdout: 'stream', readerGone: 'go-on', signal: 'drain', json: 'lines', goesOn: ''},
  // @ts-expect-error an error about nothing
  {stdout: 'stream', readerGone: 'end', signal: 'drain', json: 'lines', lost: {what: ''}},
  // @ts-expect-error --json would print lines of text
  {stdout: 'stream', readerGone: 'end', signal: 'drain', json: 'own', lost},
  // @ts-expect-error --json would print text
  {stdout: 'result', readerGone: 'go-on', signal: 'report', json: 'own'},
];

const _misspelled: Partial<typeof lifetimes> = {
  // @ts-expect-error the command has no such flag
  'connector:run': (has) => has('wathc') && lifetimeOf('whoami'),
  // @ts-expect-error without --once, a stream does not end by itself
  serve: {stdout: 'stream', readerGone: 'end', signal: 'report', json: 'lines', lost},
};

describe('the row of a command', () => {
  for (const [id, {flags}] of Object.entries(manifest.commands)) {
    it(`says whether --json is its flag: ${id}`, () => {
      const {json} = lifetimeOf(id as keyof typeof lifetimes);
      expect(json === 'own').to.equal(!('json' in flags));
    });
  }
});

describe('the lifetime of a command line that is not parsed yet', () => {
  const of = (line: string) => lifetimeOfWords(line.split(' '));

  it('is that of the command and the flags that it names', () => {
    expect(of('connector run con_1')).to.include({stdout: 'stream', signal: 'drain'});
    expect(of('connector:run con_1 -- sleep 1')).to.include({stdout: 'of-the-command'});
    expect(of('connector monitor --every 5s')).to.include({readerGone: 'end', signal: 'drain'});
    expect(of('connector monitor --exec=./notify.sh --once')).to.deep.equal({
      ...{stdout: 'stream', readerGone: 'go-on', signal: 'report', json: 'lines'},
      goesOn: '--exec still gets the events.',
    });
  });

  it('says what would be lost, and what else helps', () => {
    const lost = (line: string) => Object.values(Object(of(line)).lost).join(': ');
    expect(['key create', 'connector monitor', 'connector activate'].map(lost)).to.deep.equal([
      'The API key: Nothing was done.',
      'The events: Or hand them to --exec.',
      'The credential: Or save it to a file with --credentials-file PATH. Nothing was sent.',
    ]);
  });

  it('is found with as many arguments as a command line can have', () => {
    const most = 'con_01ARZ3NDEKTSV4RRFFQ69G5FAV '.repeat(60_000);
    expect(of(`store remove ${most}--yes`)).to.include({stdout: 'result'});
  });

  it('is unknown for help, and for words that are no command', () => {
    for (const line of ['serve --help', 'serve -h', 'connector', 'constructor', '']) {
      expect(of(line), line).to.equal(undefined);
    }
    expect(of('connector run con_1 -- cat --help')).to.include({signal: 'forward'});
  });
});

describe('a line on stdout', () => {
  it('is an error of a command whose row has no stream', async () => {
    const failure = new ProcessIo(['whoami'], false).line('a');
    await failure.then(
      () => expect.fail('It was written.'),
      (error: Error) => expect(error.message).to.match(/^Only a stream has lines; /),
    );
  });
});
