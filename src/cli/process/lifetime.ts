import type manifest from '../../../oclif.manifest.json';
import {ownWords} from '../errors/command-line.js';

type Commands = typeof manifest.commands;
export type CommandId = keyof Commands;

/** The output that would be lost, as the subject of a sentence. */
type Subject = `The ${string}`;
type Sentence = `${string} ${string}.`;

/**
 * How a command ends, and what becomes of its output.
 *
 * @template ReaderGone what happens when the reader of stdout leaves early (`| head -1`)
 * @template Signal INT, TERM and HUP interrupt the command, which says so (`report`); INT and TERM are its normal end
 *   (`drain`); a wrapped command gets them (`forward`)
 * @template Json `--json` prints one value (`value`), one per line (`lines`), or is not a flag of this form (`own`)
 */
interface Nature<Stdout, ReaderGone, Signal, Json> {
  readonly stdout: Stdout;
  readonly readerGone: ReaderGone;
  readonly signal: Signal;
  readonly json: Json;
}

/** A command that refuses to begin while stdout is discarded; its error says what would be lost, and `besides`. */
interface Losing {
  readonly lost: {readonly what: Subject; readonly besides?: Sentence | undefined};
}

/** A result that is written when the work is done; a full disk is an error. */
type Result = Nature<'result', 'go-on', 'report', 'value'>;

/** A result that is kept nowhere else. */
type OnlyCopy = Losing & Nature<'only-copy', 'error', 'report', 'value'>;

/** Lines about work that goes on even when they cannot be written. */
interface Work<Signal = 'drain'> extends Nature<'stream', 'go-on', Signal, 'lines'> {
  /** What goes on when stdout cannot be written. */
  readonly goesOn: Sentence;
}

/** The lines are the whole work, so the command ends with their reader. */
type Feed<Signal = 'drain'> = Losing & Nature<'stream', 'end', Signal, 'lines'>;

/** A stream that ends by itself, so that a signal interrupts it. */
type Once = Feed<'report'> | Work<'report'>;

/** A screen that is drawn again and again. */
type Redrawn = Losing & Nature<'screen', 'end', 'drain', 'own'>;

/** The output of a wrapped command. */
type Wrapped = Nature<'of-the-command', 'go-on', 'forward', 'own'>;

/** The supported combinations. */
export type Lifetime = Feed | Once | OnlyCopy | Redrawn | Result | Work | Wrapped;

type FlagOf<Id extends CommandId> = keyof Commands[Id]['flags'];

/** The lifetimes of a command: without the flag `--once`, a stream does not end by itself. */
type LifetimeOf<Id extends CommandId> = Exclude<Lifetime, 'once' extends FlagOf<Id> ? never : Once>;

/** A lifetime, or a function that chooses it by the command's flags; `--` stands for a wrapped command. */
type Row<Id extends CommandId> =
  | LifetimeOf<Id>
  | ((has: (flag: FlagOf<Id> | '--') => boolean) => LifetimeOf<Id>);

const result: Result = {stdout: 'result', readerGone: 'go-on', signal: 'report', json: 'value'};

const onlyCopy = (what: Subject, besides: Sentence = 'Nothing was done.'): OnlyCopy => ({
  ...({stdout: 'only-copy', readerGone: 'error', signal: 'report', json: 'value'} as const),
  lost: {what, besides},
});

const work = (goesOn: Sentence): Work => ({
  ...({stdout: 'stream', readerGone: 'go-on', signal: 'drain', json: 'lines'} as const),
  goesOn,
});

const feed = (what: Subject, besides?: Sentence): Feed => ({
  ...({stdout: 'stream', readerGone: 'end', signal: 'drain', json: 'lines'} as const),
  lost: {what, besides},
});

const redrawn: Redrawn = {
  ...({stdout: 'screen', readerGone: 'end', signal: 'drain', json: 'own'} as const),
  lost: {what: 'The table'},
};

/** The lifetime of every command. */
export const lifetimes: {readonly [Id in CommandId]: Row<Id>} = {
  __complete: result,
  completion: result,
  conformance: result,
  'connector:activate': (has) =>
    has('credentials-file')
      ? result
      : onlyCopy(
          'The credential',
          'Or save it to a file with --credentials-file PATH. Nothing was sent.',
        ),
  'connector:check': result,
  'connector:enroll': result,
  'connector:get': result,
  'connector:heartbeat': result,
  'connector:list': (has) => (has('watch') ? redrawn : result),
  'connector:monitor': (has) => ({
    // An event that nobody reads must not count as delivered.
    ...(has('exec')
      ? work('--exec still gets the events.')
      : feed('The events', 'Or hand them to --exec.')),
    signal: has('once') ? 'report' : 'drain',
  }),
  'connector:run': (has) =>
    has('--')
      ? {stdout: 'of-the-command', readerGone: 'go-on', signal: 'forward', json: 'own'}
      : work('Heartbeats continue.'),
  doctor: result,
  'key:create': onlyCopy('The API key'),
  'key:list': result,
  'key:revoke': result,
  login: result,
  logout: result,
  'profile:list': result,
  'profile:remove': result,
  'profile:set': result,
  'profile:use': result,
  'sandbox:advance': result,
  'sandbox:fault:add': result,
  'sandbox:fault:clear': result,
  'sandbox:fleet': result,
  'sandbox:status': result,
  serve: work('The service continues.'),
  'store:check': result,
  'store:copy': result,
  'store:reissue': onlyCopy('The token'),
  'store:remove': result,
  'store:unknown': result,
  'token:create': onlyCopy('The token'),
  whoami: result,
};

/** The lifetime of one command line. @param given the flags that are set, and `--` with a wrapped command */
export function lifetimeOf(id: CommandId, given: readonly string[] = []): Lifetime {
  const row = lifetimes[id];
  return typeof row === 'function' ? row((flag) => given.includes(flag)) : row;
}

const ids = Object.keys(lifetimes) as CommandId[];

/** The lifetime of a command line before it is parsed; undefined when it names no command, or asks for help. */
export function lifetimeOfWords(argv: readonly string[]): Lifetime | undefined {
  const words = ownWords(argv);
  if (words.includes('--help') || words.includes('-h')) return undefined;
  const path = `${words.join(':')}:`;
  const id = ids.find((one) => path.startsWith(`${one}:`));
  const flags = argv.filter((word) => word.startsWith('--'));
  const given = flags.map((word) => word.replace(/^--(?=.)|=.*/gs, ''));
  return id && lifetimeOf(id, given);
}
