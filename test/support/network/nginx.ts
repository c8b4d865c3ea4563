import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import net from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';

const program = '/usr/sbin/nginx';

export const hasNginx = existsSync(program);

/** A running nginx. */
export interface Nginx {
  /** Ends it, and removes its files. */
  close(): Promise<void>;
}

/**
 * Starts nginx, and waits until it accepts connections.
 *
 * @param http the content of its block `http`
 * @param port one that this block listens on
 */
export async function startNginx(http: string, port: number): Promise<Nginx> {
  const directory = await mkdtemp(join(tmpdir(), 'connectorctl-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  await writeFile(
    join(directory, 'nginx.conf'),
    `daemon off; pid ${directory}/pid; error_log ${directory}/error.log; events {}
     http { access_log off; ${temporary.join(' ')} ${http} }`,
  );
  const args = [
    '-p',
    directory,
    '-c',
    join(directory, 'nginx.conf'),
    '-e',
    join(directory, 'error.log'),
  ];
  const child = spawn(program, args, {stdio: 'ignore'});
  const ended = once(child, 'exit');
  await listening(port, child);
  return {
    async close() {
      child.kill('SIGTERM');
      await ended;
      await rm(directory, {recursive: true, force: true});
    },
  };
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    const socket = net.connect({host: '127.0.0.1', port});
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await delay(20);
    } finally {
      socket.destroy();
    }
  }
}
