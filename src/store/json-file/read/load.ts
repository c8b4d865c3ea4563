import {inDirectory, names, numbersOf} from '../format/layout.js';
import type {SegmentEnd} from '../format/lines.js';
import {JournalHeader, SnapshotEnd, SnapshotHeader} from '../format/records.js';
import {checkVersion} from '../format/upgrades.js';
import type {State} from '../state/contents.js';
import {BoundedState} from './bounded-state.js';
import {
  damagedFile,
  parseLine,
  type ReadContext,
  type ReadEnd,
  readFile,
  readRecords,
} from './file.js';

/** The segment that was written last, which may end in a torn write. */
export interface LastWrite {
  readonly path: string;
  /** Bytes of complete lines. */
  readonly keep: number;
  /** Bytes of an unfinished write after them. */
  readonly cut: number;
}

/** A store as read from its files. */
export interface Loaded {
  readonly state: State;
  /** Number of the oldest segment in use: that of the snapshot, 1 without one. */
  readonly first: number;
  /** Number of the segment to continue, and its end. */
  readonly last: number;
  readonly end: SegmentEnd;
  readonly snapshotBytes: number;
  readonly journalBytes: number;
  /** Undefined when all segments are empty. */
  readonly lastWrite: LastWrite | undefined;
}

/**
 * Reads a store: the newest snapshot and every journal segment from its number on. Changes nothing.
 *
 * @throws StoreError when anything is damaged, except for a torn write at the end of the journal, or when the heap has
 *   no room for it
 */
export async function load(context: ReadContext): Promise<Loaded> {
  const state = new BoundedState(context.heap);
  const listing = await context.files.readdir(context.directory);
  const newest = numbersOf('snapshot', listing).at(-1);
  const snapshot = newest === undefined ? none : await loadSnapshot(context, newest, state);
  const first = newest ?? 1;
  const segments = numbersOf('journal', listing).filter((number) => number >= first);
  for (const [index, number] of (segments.length === 0 ? [0] : segments).entries()) {
    if (number === first + index) continue;
    const path = inDirectory(context.directory, names.journal(first + index));
    throw damagedFile(path, undefined, 'it is missing');
  }
  const journal = await loadJournal(context, segments, snapshot.chain, state);
  return {
    state: state.take(context.directory),
    first,
    snapshotBytes: snapshot.bytes,
    ...journal,
  };
}

interface LoadedSnapshot {
  /** The seed of the journal's checksums. */
  readonly chain: number;
  readonly bytes: number;
}

const none: LoadedSnapshot = {chain: 0, bytes: 0};

async function loadSnapshot(
  context: ReadContext,
  segment: number,
  state: BoundedState,
): Promise<LoadedSnapshot> {
  const name = names.snapshot(segment);
  const path = inDirectory(context.directory, name);
  let version = 0;
  let chain = 0;
  let count = 0;
  let hasEnded = false;
  const {end} = await readFile(context, {
    name,
    chain: 0,
    mayBeTorn: false,
    visit: (value, {number}) => {
      if (hasEnded) throw new Error('it follows the end line');
      if (number === 1) {
        const header = parseLine(SnapshotHeader, value);
        checkVersion(path, header.version, context.upgrades);
        if (header.segment !== segment) throw new Error('it belongs to a file with another number');
        ({version, chain} = header);
      } else if ('records' in value) {
        const records = readRecords(value, version, context.upgrades);
        for (const record of records) state.apply(record);
        count += records.length;
      } else {
        if (parseLine(SnapshotEnd, value).count !== count) throw new Error('records are missing');
        hasEnded = true;
      }
    },
  });
  if (!hasEnded) throw damagedFile(path, undefined, 'its last line is missing');
  return {chain, bytes: end};
}

async function loadJournal(
  context: ReadContext,
  segments: readonly number[],
  start: number,
  state: BoundedState,
): Promise<Omit<Loaded, 'state' | 'first' | 'snapshotBytes'>> {
  const sizes = await Promise.all(
    segments.map(async (number) => {
      const path = inDirectory(context.directory, names.journal(number));
      return (await context.files.stat(path)).size;
    }),
  );
  // The next segment is created, empty, while its predecessor is still being written.
  const lastWritten = sizes.findLastIndex((size) => size > 0);
  const last = segments.at(-1) ?? 1;
  let chain = start;
  let journalBytes = 0;
  let length = 0;
  let lastWrite: LastWrite | undefined;
  for (const [index, number] of segments.entries()) {
    const mayBeTorn = index === lastWritten;
    const read = await loadSegment(context, {number, chain, mayBeTorn}, state);
    chain = read.chain;
    length = read.end;
    journalBytes += length;
    if (mayBeTorn) {
      const path = inDirectory(context.directory, names.journal(number));
      lastWrite = {path, keep: read.end, cut: read.tail};
    }
  }
  return {last, end: {length, chain}, journalBytes, lastWrite};
}

async function loadSegment(
  context: ReadContext,
  {number, chain, mayBeTorn}: {number: number; chain: number; mayBeTorn: boolean},
  state: BoundedState,
): Promise<ReadEnd> {
  const name = names.journal(number);
  let version = 0;
  return readFile(context, {
    name,
    chain,
    mayBeTorn,
    visit: (value, place) => {
      if (place.number === 1) {
        const header = parseLine(JournalHeader, value);
        checkVersion(inDirectory(context.directory, name), header.version, context.upgrades);
        if (header.segment !== number) throw new Error('it belongs to a file with another number');
        version = header.version;
        return;
      }
      for (const record of readRecords(value, version, context.upgrades)) state.apply(record);
    },
  });
}
