import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {untilListening} from '../support/network/ports.js';

/** Programs that the tests of the calling suite start, and that are ended after each of them. */
export function daemons() {
  const running: ChildProcess[] = [];
  afterEach(async () => {
    await Promise.all(
      running.splice(0).map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill();
        await once(child, 'exit');
      }),
    );
  });

  /** Starts a program, also one of those that Debian keeps in /usr/sbin. */
  function start(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const [program = '', ...argv] = command;
    const PATH = `${process.env['PATH']}:/usr/sbin`;
    const child = spawn(program, argv, {
      env: {...process.env, PATH, ...env},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    return child;
  }

  return {
    start,
    /** Starts a program, and waits until it accepts connections at a port of this machine. */
    async listen(port: number, command: readonly string[]): Promise<void> {
      const child = start(command);
      child.stdout.resume();
      child.stderr.resume();
      await untilListening(port, child);
    },
  };
}
