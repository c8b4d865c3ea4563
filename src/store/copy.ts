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

/** Records that are read and written at a time. */
const pageLength = 1000;

/** What a section comes to: equal in two stores when their records are. */
export interface SectionDigest {
  readonly records: number;
  /** SHA-256 of the records in the order of their keys, in hexadecimal. */
  readonly sha256: string;
}

/** The sections in words. */
export const sectionNames: Readonly<Record<Section, string>> = {
  apiKeys: 'API keys',
  tokens: 'activation tokens',
  connectors: 'connectors',
};

/** What was copied. */
export type CopyResult = Readonly<Record<Section, SectionDigest>>;

/** How far a copy has come. */
export interface CopyProgress {
  readonly doing: 'copying' | 'comparing';
  readonly section: Section;
  /** Records of the section that are done. */
  readonly records: number;
}

/** What copying needs from its process. */
export interface CopyOptions extends StoreOptions {
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
}

/**
 * Copies a store to a new place, of the same kind or of the other, with its server secret, so that
 * every key and every activation goes on as before. Both must be out of use. The target can be
 * opened as a store once it was found to be equal.
 *
 * @throws StoreError when the target is not empty, when one of them fails, and when they differ
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
      // It may be closed already; why it failed is what counts.
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

/** Reads a section of both again. */
async function compare(
  target: TransferSource,
  source: TransferSource,
  section: Section,
  onProgress: CopyOptions['onProgress'],
): Promise<SectionDigest> {
  const progress = (records: number): void => {
    onProgress?.({doing: 'comparing', section, records});
  };
  const [there, here] = [await digest(source, section, progress), await digest(target, section)];
  if (there.records === here.records && there.sha256 === here.sha256) return here;
  throw new StoreError(
    'locked',
    `The copy differs from its source: it holds ${here.records} ${sectionNames[section]}, the source ${there.records}. The source was changed while it was copied.`,
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

/** A record as text that does not depend on the order in which its members were written. */
function canonical(record: TransferRecord): string {
  return JSON.stringify(record, (_, value: unknown) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
