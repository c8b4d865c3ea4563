import {createHash} from 'node:crypto';
import {isPostgresLocation} from './open.js';
import {StoreError, type StoreOptions} from './store.js';
import {
  keyOf,
  type Section,
  sections,
  type TransferRecord,
  type TransferSource,
  type TransferTarget,
} from './transfer.js';

/** Records per read and write. */
const pageLength = 1000;

/** Count and hash of a section: equal in two stores that hold the same records. */
interface SectionDigest {
  readonly records: number;
  /** SHA-256 of the records in the order of their keys, hexadecimal. */
  readonly sha256: string;
}

/** The names of the sections in messages. */
export const sectionNames: Readonly<Record<Section, string>> = {
  apiKeys: 'API keys',
  tokens: 'activation tokens',
  connectors: 'connectors',
};

/** What was copied, by section. */
export type CopyResult = Readonly<Record<Section, SectionDigest>>;

/** The progress of a copy. */
export interface CopyProgress {
  readonly doing: 'copying' | 'comparing';
  readonly section: Section;
  /** Records of the section processed so far. */
  readonly records: number;
}

interface CopyOptions extends StoreOptions {
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
}

/**
 * Copies a store to a new location of either kind. The server secret is copied too, so every key and
 * every activation stays valid. Neither store may be in use. The target can be opened as a store only
 * after it was compared with the source.
 *
 * @throws StoreError when the target is not empty, a store fails, or the copy differs
 */
export async function copyStore(
  from: string,
  to: string,
  options: CopyOptions,
): Promise<CopyResult> {
  const source = await openSource(from, options);
  try {
    const target = await openTarget(to, source.serverSecret, options);
    try {
      return await fill(target, source, options);
    } catch (error) {
      // It may be closed already; the first error matters.
      await target.close().catch(() => {});
      throw error;
    }
  } finally {
    await source.close();
  }
}

async function openSource(location: string, options: StoreOptions): Promise<TransferSource> {
  if (isPostgresLocation(location)) {
    const {openPostgresSource} = await import('./postgres/transfer.js');
    return openPostgresSource(location, options);
  }
  const {openJsonFileSource} = await import('./json-file/transfer.js');
  return openJsonFileSource(location, options);
}

async function openTarget(
  location: string,
  serverSecret: Uint8Array,
  options: StoreOptions,
): Promise<TransferTarget> {
  if (isPostgresLocation(location)) {
    const {openPostgresTarget} = await import('./postgres/transfer.js');
    return openPostgresTarget(location, serverSecret, options);
  }
  const {openJsonFileTarget} = await import('./json-file/transfer.js');
  return openJsonFileTarget(location, serverSecret, options);
}

async function fill(
  target: TransferTarget,
  source: TransferSource,
  {onProgress}: CopyOptions,
): Promise<CopyResult> {
  for (const section of sections) {
    let records = 0;
    for await (const page of pages(source, section)) {
      await target.write(page);
      records += page.length;
      onProgress?.({doing: 'copying', section, records});
    }
  }
  const digests = {
    apiKeys: await compare(target, source, 'apiKeys', onProgress),
    tokens: await compare(target, source, 'tokens', onProgress),
    connectors: await compare(target, source, 'connectors', onProgress),
  };
  await target.finish();
  return digests;
}

async function* pages(
  store: TransferSource,
  section: Section,
): AsyncGenerator<readonly TransferRecord[]> {
  let last = '';
  for (;;) {
    const page = await store.read(section, last, pageLength);
    const end = page.at(-1);
    if (end === undefined) return;
    yield page;
    last = keyOf(end);
  }
}

/** Reads a section of both stores again and compares them. */
async function compare(
  target: TransferSource,
  source: TransferSource,
  section: Section,
  onProgress: CopyOptions['onProgress'],
): Promise<SectionDigest> {
  const progress = (records: number): void => {
    onProgress?.({doing: 'comparing', section, records});
  };
  const expected = await digest(source, section, progress);
  const actual = await digest(target, section);
  if (actual.records === expected.records && actual.sha256 === expected.sha256) return actual;
  throw new StoreError(
    'locked',
    `The copy differs from its source: it holds ${actual.records} ${sectionNames[section]}, the source ${expected.records}. The source was changed during the copy.`,
  );
}

async function digest(
  store: TransferSource,
  section: Section,
  progress?: (records: number) => void,
): Promise<SectionDigest> {
  const hash = createHash('sha256');
  let records = 0;
  for await (const page of pages(store, section)) {
    for (const record of page) hash.update(`${canonical(record)}\n`);
    records += page.length;
    progress?.(records);
  }
  return {records, sha256: hash.digest('hex')};
}

/** A record as JSON text with its members in a fixed order. */
function canonical(record: TransferRecord): string {
  return JSON.stringify(record, (_, value: unknown) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
