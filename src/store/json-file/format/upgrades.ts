import {StoreError} from '../../store.js';

/** Converts a record from one version of the format to the next. */
export type Upgrade = (record: unknown) => unknown;

/** For each older version that this build reads, the upgrade to the next version. */
export type Upgrades = ReadonlyMap<number, Upgrade>;

/** The upgrades of this build, by the version that they upgrade from. */
export const upgrades: Upgrades = new Map();

/** Version of the format that this build writes: the one after the last upgrade. */
export const formatVersion = upgrades.size + 1;

/**
 * Refuses a version that this build cannot read.
 *
 * @throws StoreError of kind `format`
 */
export function checkVersion(path: string, version: number, upgrades: Upgrades): void {
  checkNotNewer(path, version);
  for (let from = version; from < formatVersion; from += 1) {
    if (upgrades.has(from)) continue;
    throw new StoreError(
      'format',
      `${path}: format version ${version} is older than this build can migrate. Nothing was changed; use an older connectorctl.`,
    );
  }
}

/** @throws StoreError of kind `format` */
export function checkNotNewer(path: string, version: number): void {
  if (version > formatVersion) {
    throw new StoreError(
      'format',
      `${path}: format version ${version} is newer than this build's (${formatVersion}). Nothing was changed; use a newer connectorctl.`,
    );
  }
}
