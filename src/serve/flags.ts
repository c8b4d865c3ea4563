import {Flags, type Interfaces} from '@oclif/core';
import {defaultEndpoint, limits} from '../contract/limits.js';
import {inSeconds} from '../domain/duration.js';
import {durationFlag, integerFlag} from '../flags.js';
import type {Io} from '../terminal/io.js';

const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export type LogLevel = (typeof logLevels)[number];

export const serveFlags = {
  'activation-failure-limit': integerFlag({
    default: limits.activationFailureLimit,
    description: 'malformed or unknown tokens allowed per client address and minute',
    env: 'CONNECTORCTL_ACTIVATION_FAILURE_LIMIT',
    min: 1,
  }),
  'heartbeat-interval': durationFlag({
    description: `heartbeat interval that connectors are asked to use (default ${limits.heartbeatInterval.default}s)`,
    env: 'CONNECTORCTL_HEARTBEAT_INTERVAL',
  }),
  host: Flags.string({
    default: defaultEndpoint.host,
    description: 'address to listen on',
    env: 'CONNECTORCTL_HOST',
    helpValue: 'ADDRESS',
  }),
  'insecure-http': Flags.boolean({
    description: 'allow plain HTTP beyond localhost, for instance behind a TLS proxy',
    env: 'CONNECTORCTL_INSECURE_HTTP',
  }),
  'log-level': Flags.option({
    options: logLevels,
  })({
    default: 'info',
    description: `log level: ${logLevels.slice(0, -1).join(', ')} or ${logLevels.at(-1)}; audit records are always written, except on a terminal`,
    env: 'CONNECTORCTL_LOG_LEVEL',
    helpValue: 'LEVEL',
  }),
  'max-connectors': integerFlag({
    default: limits.organization.connectors,
    description: 'connectors allowed per organization',
    env: 'CONNECTORCTL_MAX_CONNECTORS',
    min: 1,
  }),
  'max-tokens': integerFlag({
    default: limits.organization.tokens,
    description: 'unused activation tokens allowed per organization',
    env: 'CONNECTORCTL_MAX_TOKENS',
    min: 1,
  }),
  'metrics-allow': Flags.string({
    description: 'addresses and CIDR ranges that may read /metrics (default: localhost)',
    env: 'CONNECTORCTL_METRICS_ALLOW',
    helpValue: 'LIST',
  }),
  port: integerFlag({
    default: defaultEndpoint.port,
    description: 'port to listen on; 0 selects a free one',
    env: 'CONNECTORCTL_PORT',
    max: 65_535,
    min: 0,
  }),
  'tls-cert': Flags.string({
    dependsOn: ['tls-key'],
    description: 'certificate chain (PEM) for HTTPS',
    env: 'CONNECTORCTL_TLS_CERT',
    helpValue: 'PATH',
  }),
  'tls-key': Flags.string({
    dependsOn: ['tls-cert'],
    description: 'private key (PEM) of the certificate',
    env: 'CONNECTORCTL_TLS_KEY',
    helpValue: 'PATH',
  }),
  'token-ttl': durationFlag({
    description: `lifetime of an activation token (default ${limits.tokenTtl.default / 60}m)`,
    env: 'CONNECTORCTL_TOKEN_TTL',
  }),
  'trust-proxy': Flags.string({
    description: 'proxies to trust for the client address: addresses, CIDR ranges or loopback',
    env: 'CONNECTORCTL_TRUST_PROXY',
    helpValue: 'LIST',
  }),
};

/** The settings of the service, from the values of the flags. */
export function serveSettings(flags: Interfaces.InferredFlags<typeof serveFlags>) {
  const {'tls-cert': cert, 'tls-key': key} = flags;
  return {
    host: flags.host,
    port: flags.port,
    insecureHttp: flags['insecure-http'],
    tls: cert === undefined || key === undefined ? undefined : {cert, key},
    tokenTtl: inSeconds(flags['token-ttl']),
    heartbeatInterval: inSeconds(flags['heartbeat-interval']),
    activationFailureLimit: flags['activation-failure-limit'],
    bounds: {tokens: flags['max-tokens'], connectors: flags['max-connectors']},
    metricsAllow: flags['metrics-allow'],
    trustProxy: flags['trust-proxy'],
  };
}

/**
 * Removes the variable `CONNECTORCTL_PORT` if Kubernetes set it, as it does by default for a Service named
 * `connectorctl` in the pod's namespace (`tcp://10.96.0.12:4480`): the variable is not the port to listen on.
 */
export function ignoreServiceLink(env: NodeJS.ProcessEnv, io: Io): void {
  const {CONNECTORCTL_PORT: value} = env;
  if (value === undefined || !/^(tcp|udp|sctp):\/\//i.test(value)) return;
  delete env['CONNECTORCTL_PORT'];
  io.note(
    `Warning: ignoring CONNECTORCTL_PORT=${value}, which Kubernetes sets for a Service named connectorctl. Set enableServiceLinks: false in the pod, or name the port with --port.`,
  );
}
