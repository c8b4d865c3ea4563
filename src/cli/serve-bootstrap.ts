import {open, rm, writeFile} from 'node:fs/promises';
import {resolve} from 'node:path';
import {AppError} from '../errors.js';
import {existingKeysTalk, shellWord} from '../render/talk.js';
import type {ServeEnvironment} from '../server/serve.js';
import {say} from './streams.js';
import {reasonOf} from './system-error.js';

const ownerOnly = 0o600;

/** The part of starting `serve` that hands the first API key of an empty store to its operator. */
type Bootstrap = Pick<ServeEnvironment, 'beforeBootstrap' | 'onBootstrap'> & {
  onListening(url: string): void;
};

/**
 * Shows the first API key once, with the lines that make the next command work, or writes it to a
 * file that only its owner reads.
 *
 * @param path of that file; undefined to show the key
 * @param store how the store is named on a command line; undefined for the default one
 */
export function announceBootstrap(path: string | undefined, store: string | undefined): Bootstrap {
  let made = false;
  return {
    async beforeBootstrap() {
      if (path !== undefined) await checkWritable(path);
    },
    async onBootstrap({record, secret}) {
      made = true;
      if (path !== undefined) await writeKey(path, secret);
      say(`The store was empty: made organization "${record.organization}" and its API key.`);
      say(path === undefined ? 'It is shown this once:' : `The key is in ${path}.`);
      const setting =
        path === undefined ? `API_KEY=${secret}` : `API_KEY_FILE=${shellWord(resolve(path))}`;
      say(`\n  export CONNECTORCTL_${setting}`);
    },
    onListening(url) {
      say(made ? `  export CONNECTORCTL_BASE_URL=${url}\n` : existingKeysTalk(store));
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
      hint: 'Name a new file in a folder that you may write, with --bootstrap-key-file PATH.',
      cause: error,
    });
  }
}

async function writeKey(path: string, secret: string): Promise<void> {
  try {
    await writeFile(path, `${secret}\n`, {flag: 'wx', mode: ownerOnly});
  } catch (error) {
    throw new AppError('usage', `Cannot write the first API key to ${path}: ${reasonOf(error)}.`, {
      hint: 'It is lost. Make another with: connectorctl key create',
      cause: error,
    });
  }
}
