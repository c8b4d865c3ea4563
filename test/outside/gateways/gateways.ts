import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {chmod, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {certificate, privateKey} from '../../support/network/certificates.js';
import {closedPort, untilListening} from '../../support/network/ports.js';
import {root} from '../../support/sources.js';
import type {Respond} from '../../support/third-party.js';
import type {ProgramName} from '../programs.js';

/** Where a gateway listens, what is behind it, and its own directory. */
interface Place {
  readonly port: number;
  /** The port of the service, on 127.0.0.1. */
  readonly service: number;
  readonly directory: string;
}

/** A program between a client and a service, with a time limit of one second for the service. */
export interface Gateway {
  readonly configuration: (place: Place) => string;
  readonly command: (file: string, place: Place) => readonly [string, ...(readonly string[])];
  /** The status after the service broke off, while it does not listen, and when it is slow; undefined: it cuts. */
  readonly statuses: Readonly<Record<'broken' | 'dead' | 'slow', number | undefined>>;
  /** What the service gets as X-Forwarded-For from a client that claims 203.0.113.9. */
  readonly forwarded: string | undefined;
  /** The signal after which it reads its configuration again, and keeps its connections; undefined: it starts anew. */
  readonly reload?: NodeJS.Signals;
  /** Whether it needs a service with TLS. */
  readonly hasTls?: boolean;
}

/** The text of a file in contrib. */
export const contrib = (...path: readonly string[]) =>
  readFileSync(join(root, 'contrib', ...path), 'utf8');

/** The settings of a Squid that runs for one test, and keeps and writes nothing. */
export const squidAlone = (directory: string) => `
  shutdown_lifetime 0 seconds
  pid_filename none
  cache_log /dev/null
  access_log none
  cache deny all
  coredump_dir ${directory}
  visible_hostname localhost
  pinger_enable off
`;

/** A configuration of nginx with contrib's file. @param edit changes that file */
export function nginxConfiguration({service, directory}: Place, edit: (text: string) => string) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  const text = contrib('nginx', 'connectorctl.conf');
  const http = edit(text.replace('server 127.0.0.1:4480', `server 127.0.0.1:${service}`));
  return `daemon off; pid ${directory}/pid; events {} http { access_log off; ${temporary.join(' ')} ${http} }`;
}

export const gateways = {
  nginx: {
    configuration: (place) =>
      nginxConfiguration(place, (text) =>
        text
          .replace(/^ *(listen \[::\]|ssl_).*\n/gm, '')
          .replace('listen 443 ssl', `listen 127.0.0.1:${place.port}`)
          .replace('proxy_connect_timeout 5s;', 'proxy_read_timeout 1s;'),
      ),
    reload: 'SIGHUP',
    command: (file, {directory}) => ['nginx', '-e', join(directory, 'log'), '-c', file],
    statuses: {broken: 502, dead: 502, slow: 504},
    forwarded: '127.0.0.1',
  },
  haproxy: {
    configuration: ({port, service}) =>
      contrib('haproxy', 'connectorctl.cfg')
        .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
        .replace('service 127.0.0.1:4480', `service 127.0.0.1:${service}`)
        .replace('timeout server 60s', 'timeout server 1s'),
    reload: 'SIGUSR2',
    command: (file) => ['haproxy', '-db', '-W', '-f', file],
    statuses: {broken: 502, dead: 503, slow: 504},
    forwarded: '127.0.0.1',
  },
  apache: {
    configuration: ({port, service, directory}) => `
      ServerRoot ${directory}
      ServerName localhost
      PidFile ${directory}/pid
      ErrorLog ${directory}/log
      Mutex file:${directory}
      Listen 127.0.0.1:${port}
      ${['mpm_event', 'authz_core', 'proxy', 'proxy_http'].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
      User www-data
      Group www-data
      ProxyTimeout 1
      ProxyPass / http://127.0.0.1:${service}/
    `,
    reload: 'SIGUSR1',
    command: (file) => ['apache2', '-D', 'FOREGROUND', '-f', file],
    statuses: {broken: 502, dead: 503, slow: 502},
    forwarded: '203.0.113.9, 127.0.0.1',
  },
  varnish: {
    configuration: ({service}) => `vcl 4.1;
      backend default { .host = "127.0.0.1"; .port = "${service}"; .first_byte_timeout = 1s; .between_bytes_timeout = 1s; }`,
    command: (file, {port, directory}) => [
      ...(['varnishd', '-F', '-n', join(directory, 'v'), '-j', 'none'] as const),
      ...['-a', `127.0.0.1:${port}`, '-T', 'none', '-f', file, '-s', 'malloc,50m'],
    ],
    statuses: {broken: 503, dead: 503, slow: 503},
    forwarded: '203.0.113.9, 127.0.0.1',
  },
  squid: {
    configuration: ({port, service, directory}) => `
      http_port 127.0.0.1:${port} accel defaultsite=localhost no-vhost
      cache_peer 127.0.0.1 parent ${service} 0 no-query originserver login=PASSTHRU name=service
      http_access allow all
      read_timeout 1 second
      forward_timeout 2 seconds
      ${squidAlone(directory)}
    `,
    reload: 'SIGHUP',
    command: (file) => ['squid', '-N', '-f', file],
    statuses: {broken: 502, dead: 503, slow: 504},
    forwarded: '203.0.113.9, 127.0.0.1',
  },
  caddy: {
    configuration: ({port, service}) => `
      {
        admin off
        auto_https off
      }
      http://127.0.0.1:${port} {
        reverse_proxy 127.0.0.1:${service} {
          transport http {
            response_header_timeout 1s
          }
        }
      }
    `,
    command: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
    statuses: {broken: 502, dead: 502, slow: 504},
    forwarded: '127.0.0.1',
  },
  tinyproxy: {
    configuration: ({port, service, directory}) => `
      Port ${port}
      Listen 127.0.0.1
      Timeout 1
      LogFile "${directory}/log"
      ReversePath "/" "http://127.0.0.1:${service}/"
      ReverseOnly Yes
    `,
    command: (file) => ['tinyproxy', '-d', '-c', file],
    statuses: {broken: undefined, dead: 500, slow: undefined},
    forwarded: '203.0.113.9',
  },
  stunnel: {
    configuration: ({port, service, directory}) => `
      foreground = yes
      pid =
      output = ${directory}/log
      [service]
      client = yes
      accept = 127.0.0.1:${port}
      connect = 127.0.0.1:${service}
      TIMEOUTidle = 1
    `,
    command: (file) => ['stunnel4', file],
    statuses: {broken: undefined, dead: undefined, slow: undefined},
    forwarded: '203.0.113.9',
    hasTls: true,
  },
} as const satisfies Partial<Record<ProgramName, Gateway>>;

export type GatewayName = keyof typeof gateways;

/** The certificate of a service behind a gateway that speaks TLS to it. */
export const tls = {key: privateKey, cert: certificate};

/** A list that is sent whole, or cut. */
export const list = Array.from({length: 5000}, (_, at) => ({id: `con_${at}`, name: `rack-${at}`}));

/** Sends half of a list, in chunks without a length, and breaks off. */
export const cut: Respond = (_, response) => {
  const text = JSON.stringify(list);
  response.writeHead(200, {'content-type': 'application/json'});
  response.write(text.slice(0, text.length / 2), () => response.destroy());
};

/** A running gateway. */
export interface RunningGateway {
  readonly url: string;
  /** Reads its configuration again, with another text in place of a part of it. */
  readonly reload: (from?: string, to?: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Starts a gateway to a service on this port, and waits until it accepts connections.
 *
 * @param configuration default: that of the table
 */
export async function startGateway(
  name: GatewayName,
  service: number,
  configuration: Gateway['configuration'] = gateways[name].configuration,
): Promise<RunningGateway> {
  const {command, reload}: Gateway = gateways[name];
  const directory = await mkdtemp(join(tmpdir(), 'connectorctl-gateway-'));
  // Some programs run as a user of their own.
  await chmod(directory, 0o755);
  const place = {port: await closedPort(), service, directory};
  const file = join(directory, 'configuration');
  const text = configuration(place);
  writeFileSync(file, text);
  const [program, ...args] = command(file, place);
  const env = {...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin`, HOME: directory};
  const start = async () => {
    const child = spawn(program, args, {env, stdio: ['ignore', 'ignore', 'pipe']});
    const said: Buffer[] = [];
    child.stderr.on('data', (part) => said.push(part));
    await untilListening(place.port, child).catch((error: Error) => {
      throw new Error(`${error.message}: ${Buffer.concat(said)}`);
    });
    return child;
  };
  let child = await start();
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return {
    url: `http://127.0.0.1:${place.port}`,
    async reload(from = '', to = '') {
      // Whole or not at all: Apache ends, and HAProxy listens nowhere, when they read an empty file.
      writeFileSync(`${file}.new`, text.replaceAll(from, to));
      renameSync(`${file}.new`, file);
      if (reload === undefined) {
        await stop();
        child = await start();
      } else child.kill(reload);
    },
    async close() {
      await stop();
      await rm(directory, {recursive: true, force: true});
    },
  };
}
