import {open, rm} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import type {Logger} from 'pino';
import {AppError} from '../../errors.js';
import {existingKeysNotice, noKeysNotice, shellWord} from '../../render/notices.js';
import type {ServeEnvironment} from '../../server/serve.js';
import {reasonOf} from '../errors/system-error.js';
import {writeMessage} from '../terminal/streams.js';

const ownerOnly = 0o600;

/** The first API key in a store's directory. */
const keyFileName = 'first-api-key';

/** Where the first API key goes; undefined where there is no safe place for it. */
type BootstrapPlace = 'terminal' | {readonly file: string} | undefined;

/** The part of starting `serve` that hands the first API key of an empty store to its operator. */
type Bootstrap = Pick<ServeEnvironment, 'beforeBootstrap' | 'onBootstrap'> & {
  onListening(url: string): void;
};

/**
 * Chooses where the first API key goes. Stderr is a log unless it is a terminal, and logs are kept,
 * copied and read by others. The store's directory is the one place that is sure to be writable and
 * closed to everyone else; a file beside it may lie in a directory that is neither, or that a container
 * loses. A database has no directory, and the file system of one of many processes is no place that
 * its operator would find: there `key create` makes the key.
 *
 * @param file that the operator named
 * @param directory of the store; undefined for a database
 */
export function bootstrapPlace(
  file: string | undefined,
  onTerminal: boolean,
  directory: string | undefined,
): BootstrapPlace {
  if (file !== undefined) return {file};
  if (onTerminal) return 'terminal';
  return directory === undefined ? undefined : {file: join(directory, keyFileName)};
}

/**
 * Hands over the first API key, with the lines that make the next command work.
 *
 * @param store how the store is named on a command line; undefined for the default one
 */
export function announceBootstrap(
  place: BootstrapPlace,
  store: string | undefined,
  log: Logger,
): Bootstrap {
  const path = typeof place === 'object' ? resolve(place.file) : undefined;
  let state: 'present' | 'made' | 'none' = 'present';
  return {
    async beforeBootstrap() {
      if (path !== undefined) await checkWritable(path);
      if (place === undefined) state = 'none';
      return place !== undefined;
    },
    async onBootstrap({record, secret}) {
      state = 'made';
      if (path !== undefined) await writeKey(path, secret);
      writeMessage(
        `The store was empty: made organization "${record.organization}" and its API key.`,
      );
      if (path === undefined) {
        writeMessage(`It is shown this once:\n\n  export CONNECTORCTL_API_KEY=${secret}`);
        return;
      }
      log.info({path, key_id: record.id}, 'the first API key was written to a file');
      writeMessage(
        `The key is in ${path}, readable by you alone. Keep it elsewhere, and delete the file.`,
      );
      writeMessage(`\n  export CONNECTORCTL_API_KEY_FILE=${shellWord(path)}`);
    },
    onListening(url) {
      if (state === 'made') writeMessage(`  export CONNECTORCTL_BASE_URL=${url}\n`);
      else if (state === 'present') writeMessage(existingKeysNotice(store));
      else {
        log.warn({}, 'the store has no API key: make one with connectorctl key create');
        writeMessage(noKeysNotice(store));
      }
    },
  };
}

/** The key cannot be had a second time: that it can be written is found out before it is made. */
async function checkWritable(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', ownerOnly)).close();
    await rm(path);
  } catch (error) {
    throw new AppError('usage', `Cannot write the first API key to ${path}: ${reasonOf(error)}.`, {
      hint: 'Name a new file in a directory that you may write, with --bootstrap-key-file PATH.',
      cause: error,
    });
  }
}

async function writeKey(path: string, secret: string): Promise<void> {
  try {
    const file = await open(path, 'wx', ownerOnly);
    try {
      await file.writeFile(`${secret}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new AppError('usage', `Cannot write the first API key to ${path}: ${reasonOf(error)}.`, {
      hint: 'It is lost. Make another with: connectorctl key create',
      cause: error,
    });
  }
}
