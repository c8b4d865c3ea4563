import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {untilListening} from './ports.js';

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
  await untilListening(port, child);
  return {
    async close() {
      child.kill('SIGTERM');
      await ended;
      await rm(directory, {recursive: true, force: true});
    },
  };
}
