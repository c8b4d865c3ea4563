import type manifest from '../../../oclif.manifest.json';

export type CommandId = keyof typeof manifest.commands;

/** How a command ends, and what becomes of its output. */
export interface Lifetime {
  /**
   * What stdout carries. `result`: written when the work is done; a full disk is an error. `only-copy`: a result that is
   * kept nowhere else; it is not even made while stdout is discarded. `stream`: lines while the work goes on, which
   * matters more than they do. `of-the-command`: a wrapped command owns it.
   */
  readonly stdout: 'of-the-command' | 'only-copy' | 'result' | 'stream';
  /** When the reader of stdout leaves early (`| head -1`): the work goes on, the process ends, or it is an error. */
  readonly readerGone: 'end' | 'error' | 'go-on';
  /**
   * What INT, TERM and HUP do. `report`: they interrupt the command, which says so. `drain`: INT and TERM are its normal
   * end. `forward`: a wrapped command gets them. `finish-rows`: the rows in progress end first, and tell their outcome.
   */
  readonly signal: 'drain' | 'finish-rows' | 'forward' | 'report';
  /** What `--json` prints: one value, one per line, or nothing, because the flag is not the command's. */
  readonly json: 'lines' | 'own' | 'value';
  /** What is lost without stdout, and what to do then: such a command refuses to begin. */
  readonly lost?: {readonly what: string; readonly hint?: string} | undefined;
  /** What goes on when stdout of a `stream` cannot be written. */
  readonly goesOn?: string;
  /** What differs with a flag; `--` stands for a wrapped command. */
  readonly with?: Readonly<Record<string, Partial<Omit<Lifetime, 'with'>>>>;
}

const result = {
  ...({stdout: 'result', readerGone: 'go-on', signal: 'report', json: 'value'} as const),
} satisfies Lifetime;
const onlyCopy = {
  ...({stdout: 'only-copy', readerGone: 'error', signal: 'report', json: 'value'} as const),
} satisfies Lifetime;
const stream = {
  ...({stdout: 'stream', readerGone: 'go-on', signal: 'drain', json: 'lines'} as const),
} satisfies Lifetime;

const heartbeatsGoOn = 'Heartbeats continue.';
const rowsGoOn = 'Finishing the machines in progress.\n  To continue, run the same command again.';

/** The lifetime of every command. */
export const lifetimes: Readonly<Record<CommandId, Lifetime>> = {
  __complete: {...result, json: 'own'},
  completion: result,
  conformance: result,
  'connector:activate': {
    ...onlyCopy,
    lost: {
      what: 'The credential',
      hint: 'Save it to a file with --credentials-file PATH. Nothing was sent.',
    },
    with: {'credentials-file': {...result, lost: undefined}},
  },
  'connector:check': result,
  'connector:enroll': {...stream, signal: 'finish-rows', json: 'value', goesOn: rowsGoOn},
  'connector:get': result,
  'connector:heartbeat': {...result, stdout: 'stream', goesOn: heartbeatsGoOn},
  'connector:list': {...result, with: {watch: {...stream, json: 'own'}}},
  'connector:monitor': {
    ...stream,
    // An event that nobody reads must not count as delivered.
    readerGone: 'end',
    lost: {what: 'The events', hint: 'Keep stdout open, or hand it to --exec.'},
    with: {
      exec: {readerGone: 'go-on', lost: undefined, goesOn: '--exec still gets the events.'},
      once: {signal: 'report'},
    },
  },
  'connector:run': {
    ...stream,
    goesOn: heartbeatsGoOn,
    with: {'--': {stdout: 'of-the-command', signal: 'forward', json: 'own'}},
  },
  doctor: result,
  'key:create': {...onlyCopy, lost: {what: 'The API key'}},
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
  serve: {...stream, goesOn: 'The service continues.'},
  'store:check': result,
  'store:copy': result,
  'store:reissue': {...onlyCopy, lost: {what: 'The token'}},
  'store:remove': result,
  'store:unknown': result,
  'token:create': {...onlyCopy, lost: {what: 'The token'}},
  whoami: result,
};

/** The lifetime of one command line. @param given the flags that are set, and `--` with a wrapped command */
export function lifetimeOf(id: CommandId, given: readonly string[]): Lifetime {
  const {with: variants = {}, ...usual} = lifetimes[id];
  return Object.assign({}, usual, ...given.map((name) => variants[name]));
}
