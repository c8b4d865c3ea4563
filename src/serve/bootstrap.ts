import {resolve} from 'node:path';
import {AppError} from '../errors.js';
import type {CreatedKey} from '../server/admin/admin.js';
import type {ServeEnvironment} from '../server/serve.js';
import type {StoreLog} from '../store/store.js';
import {type Files, nodeFiles, writeDurably} from '../system/durable-file.js';
import {reasonOf} from '../system/system-error.js';
import {systemdOf} from '../system/systemd.js';
import {jsonLine} from '../terminal/formats/json.js';
import type {Io} from '../terminal/io.js';
import {keyCreateCommand, shownWord} from '../terminal/notices.js';
import type {LogLevel} from './flags.js';

/** Name of the file with the first API key, in the directory of the store. */
const keyFileName = 'first-api-key';

/** Where the first API key may go. */
interface KeyPlaces {
  /** Whether stderr may show the key. */
  readonly isShown: boolean;
  /** The directory of the store; undefined for a database. */
  readonly directory: string | undefined;
}

/** The part of `serve` that gives the first API key of an empty store to its operator. */
export type Bootstrap = Pick<ServeEnvironment, 'saveFirstKey'> & {
  /** Writes a message about the API key, once the service listens on a URL. @param hasKeys whether the store has keys */
  announce(url: string, hasKeys: boolean): void;
};

/**
 * Shows the first API key, or saves it, with the lines that make the next command work. Without a terminal stderr is a
 * log, which others keep, copy and read. Only the store directory is certainly writable, private and, in a container,
 * persistent. With a database, an operator would not find a file on one of many machines: there `key create` creates
 * the key.
 *
 * @param store the store as named on the command line; undefined for the default one
 */
export function announceBootstrap(
  {isShown, directory}: KeyPlaces,
  store: string | undefined,
  log: StoreLog,
  io: Io,
  disk: Files = nodeFiles,
): Bootstrap {
  const path = isShown || directory === undefined ? undefined : resolve(directory, keyFileName);
  let created: CreatedKey | undefined;
  const save = async (key: CreatedKey) => {
    created = key;
    if (path !== undefined) {
      await writeKey(disk, path, key.secret);
      log.info({path, key_id: key.record.id}, 'the first API key was written to a file');
    }
    return async () => {
      created = undefined;
      if (path !== undefined) await disk.rm(path);
    };
  };
  return {
    saveFirstKey: isShown || path !== undefined ? save : undefined,
    announce(url, hasKeys) {
      if (created !== undefined) {
        // The only copy of the key is written even with --quiet.
        const ownStore = directory === undefined ? undefined : store;
        const notice = firstKeyNotice(created, path, url, ownStore);
        if (path === undefined) io.error(notice);
        else io.note(notice);
      } else if (hasKeys) {
        const command = keyCreateCommand(store);
        io.note(`The store has API keys, which are not shown again. To create another: ${command}`);
      } else {
        log.warn({}, 'the store has no API key: create one with connectorctl key create');
        const command = keyCreateCommand(store, 'default');
        io.note(
          `The store has no API key yet, and this log is not a safe place for one. Create it with: ${command}`,
        );
      }
    },
  };
}

/** @param path of the file that has the key; undefined to show the key itself */
function firstKeyNotice(
  {record, secret}: CreatedKey,
  path: string | undefined,
  url: string,
  store: string | undefined,
): string {
  const [place, setting] =
    path === undefined
      ? ['It is shown only once. In another terminal:', `CONNECTORCTL_API_KEY=${secret}`]
      : [
          `The key is in ${path}, readable only by you. If you move it, name its new path below.`,
          `CONNECTORCTL_API_KEY_FILE=${shownWord(path)}`,
        ];
  return [
    `The store was empty: created organization "${record.organization}" with an API key.`,
    place,
    '',
    // Without indentation: a terminal of 80 columns then shows the key in one line.
    `export CONNECTORCTL_BASE_URL=${url}`,
    `export ${setting}`,
    ...(store === undefined ? [] : [`export CONNECTORCTL_STORE=${shownWord(resolve(store))}`]),
    '',
    'Next: connectorctl token create',
    '',
  ].join('\n');
}

/** Writes the key, also over a file of an interrupted start, whose key is not in the store. @throws AppError */
async function writeKey(disk: Files, path: string, secret: string): Promise<void> {
  await writeDurably(disk, path, `${secret}\n`).catch((cause: unknown) => {
    const message = `Cannot write the first API key to ${path}: ${reasonOf(cause)}.`;
    throw new AppError('unavailable', message, {cause});
  });
}

/** Tells the operator and systemd when the service listens and when it stops. */
export function teller(bootstrap: Bootstrap, io: Io) {
  const onTerminal = io.stderr.isTerminal;
  const note = (line: string) => io.note(line);
  const systemd = systemdOf(process, note);
  // The watchdog monitors the event loop, not the store: a restart does not bring back a database.
  void systemd?.keepAlive(() => true);
  return {
    listening(url: string, served: string, hasKeys: boolean): void {
      void io.line(io.json ? jsonLine({url}) : url);
      note(onTerminal ? `${served} Ctrl-C stops it.` : served);
      bootstrap.announce(url, hasKeys);
      systemd?.notify({READY: '1', STATUS: `Serving ${url}`});
    },
    stopping(): void {
      // After Ctrl-C, the terminal shows ^C at the beginning of the line.
      if (onTerminal) note('\nStopping. A second Ctrl-C does not wait for requests.');
      systemd?.notify({STOPPING: '1', STATUS: 'Finishing the requests in flight'});
    },
    stopped(): void {
      if (onTerminal) note('Stopped.');
    },
    /** Resolves once each notification to systemd was sent or has failed. */
    settled: async (): Promise<void> => systemd?.settled(),
  };
}

/** Opens the log of the service. A terminal keeps nothing, so on one the level applies to audit records too. */
export async function openLog(level: LogLevel, {log, stderr}: Io) {
  const {createLogger} = await import('../server/observability/logger.js');
  if (!stderr.isTerminal) return createLogger(level, log, {keepsAudit: true});
  return createLogger(level, log, {palette: await stderr.palette()});
}
