import {systemdOf} from '../system/systemd.js';
import {jsonLine} from '../terminal/formats/json.js';
import {paletteFor} from '../terminal/palette.js';
import {writeError, writeMessage, writeOut} from '../terminal/streams.js';
import type {Bootstrap} from './bootstrap.js';
import type {LogLevel} from './flags.js';

/** Tells the operator and systemd when the service listens and when it stops. */
export function teller(bootstrap: Bootstrap, json: boolean) {
  const onTerminal = process.stderr.isTTY === true;
  const systemd = systemdOf(process, writeMessage);
  // The watchdog monitors the event loop, not the store: a restart does not bring back a database.
  void systemd?.keepAlive(() => true);
  return {
    async listening(url: string, served: string, hasKeys: boolean): Promise<void> {
      // The key does not wait for stdout: it is shown once, and must not be lost with stdout.
      const written = writeOut(json ? `${jsonLine({url})}\n` : `${url}\n`);
      writeMessage(onTerminal ? `${served} Ctrl-C stops it.` : served);
      bootstrap.announce(url, hasKeys);
      await written;
      systemd?.notify({READY: '1', STATUS: `Serving ${url}`});
    },
    stopping(): void {
      // The terminal shows ^C at the beginning of the line.
      if (onTerminal) writeMessage('\nStopping. A second Ctrl-C does not wait for requests.');
      systemd?.notify({STOPPING: '1', STATUS: 'Finishing the requests in flight'});
    },
    stopped(): void {
      if (onTerminal) writeMessage('Stopped.');
    },
    /** Resolves once systemd has all notifications. */
    settled: async (): Promise<void> => systemd?.settled(),
  };
}

/** The log of the service. A terminal keeps nothing, so there the level applies to audit records too. */
export async function openLog(level: LogLevel) {
  const {createLogger} = await import('../server/observability/logger.js');
  if (process.stderr.isTTY !== true) return createLogger(level, {keepsAudit: true});
  const write = (text: string) => writeError(text.trimEnd());
  return createLogger(level, {palette: await paletteFor(process.stderr), write});
}
