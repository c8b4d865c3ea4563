import {systemdOf} from '../system/systemd.js';
import {jsonLine} from '../terminal/formats/json.js';
import type {Io} from '../terminal/io.js';
import type {Bootstrap} from './bootstrap.js';
import type {LogLevel} from './flags.js';

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
      // The terminal shows ^C at the beginning of the line.
      if (onTerminal) note('\nStopping. A second Ctrl-C does not wait for requests.');
      systemd?.notify({STOPPING: '1', STATUS: 'Finishing the requests in flight'});
    },
    stopped(): void {
      if (onTerminal) note('Stopped.');
    },
    /** Resolves once systemd has all notifications. */
    settled: async (): Promise<void> => systemd?.settled(),
  };
}

/** Opens the log of the service. A terminal keeps nothing, so on one the level applies to audit records too. */
export async function openLog(level: LogLevel, {log, stderr}: Io) {
  const {createLogger} = await import('../server/observability/logger.js');
  if (!stderr.isTerminal) return createLogger(level, log, {keepsAudit: true});
  return createLogger(level, log, {palette: await stderr.palette()});
}
