import {digest, type SectionDigest} from './digest.js';
import {isPostgresLocation} from './open.js';
import {StoreError, type StoreOptions} from './store.js';
import {
  type Section,
  sections,
  type Transfer,
  type TransferSource,
  type TransferTarget,
} from './transfer.js';

/** The names of the sections in messages. */
export const sectionNames: Readonly<Record<Section, string>> = {
  apiKeys: 'API keys',
  tokens: 'activation tokens',
  connectors: 'connectors',
};

/** Number and digest of the copied records, by section. */
type CopyResult = Readonly<Record<Section, SectionDigest>>;

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
 * every activation stays valid. Neither store may be in use. The target exists only after the comparison with the
 * source.
 *
 * @throws StoreError when the target is not empty, a store fails, or the copy differs
 */
export async function copyStore(from: string, to: string, given: CopyOptions): Promise<CopyResult> {
  // One time for both stores: a token that expires meanwhile must not make them differ.
  const now = given.now();
  const options = {...given, now: () => now};
  const {openSource} = await transferOf(from);
  const {createCopy} = await transferOf(to);
  const source = await openSource(from, options);
  try {
    const {serverSecret} = source;
    return await createCopy(to, serverSecret, options, (target) => fill(target, source, options));
  } finally {
    await source.close();
  }
}

function transferOf(location: string): Promise<Transfer> {
  return isPostgresLocation(location)
    ? import('./postgres/transfer.js')
    : import('./json-file/transfer.js');
}

async function fill(
  target: TransferTarget,
  source: TransferSource,
  {onProgress}: CopyOptions,
): Promise<CopyResult> {
  for (const section of sections) {
    let records = 0;
    for await (const batch of source.read(section)) {
      await target.write({[section]: batch});
      records += batch.length;
      onProgress?.({doing: 'copying', section, records});
    }
  }
  const compare = async (section: Section): Promise<SectionDigest> => {
    const expected = await digest(source.read(section), (records) => {
      onProgress?.({doing: 'comparing', section, records});
    });
    const actual = await digest(target.read(section));
    if (actual.records === expected.records && actual.sha256 === expected.sha256) return actual;
    throw new StoreError(
      'locked',
      `The copy differs from its source: it holds ${actual.records} ${sectionNames[section]}, the source ${expected.records}. One of them was changed during the copy.`,
    );
  };
  return {
    apiKeys: await compare('apiKeys'),
    tokens: await compare('tokens'),
    connectors: await compare('connectors'),
  };
}
