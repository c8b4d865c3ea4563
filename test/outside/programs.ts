/** A program, library or image that others made, and that the tests of this directory run. */
export interface Program {
  /** As its makers write it. */
  readonly title: string;
  /**
   * Packages of Debian, or packages of npm with a version in `package.json` beside this file. The version of the
   * program is that of the first.
   */
  readonly debian?: readonly string[];
  readonly npm?: readonly string[];
  /** The version that the tests were written for, or the beginning of it: of Debian 12, or the exact one of npm. */
  readonly expected: string;
  /** What the tests do with it: the end of the sentence "It is here to …". */
  readonly purpose: string;
  /** What was seen: a cell of docs/internals/outside.md. */
  readonly result: string;
  /** The page of the documentation that relies on it. */
  readonly page: string;
}

/** All of them, in the order of the subdirectories. `.ci/run` installs them. */
export const programs = {
  // services/
  fastapi: {
    title: 'FastAPI',
    debian: ['python3-fastapi', 'uvicorn'],
    expected: '0.92',
    purpose: 'be a service with its defaults',
    result:
      'all five operations; a list of up to 250 connectors is whole; ids above 2^53 keep their digits',
    page: 'docs/guides/build-a-service.md',
  },
  restFramework: {
    title: 'Django REST framework',
    debian: ['python3-djangorestframework'],
    expected: '3.14',
    purpose: 'be a service with its defaults',
    result:
      'three paginations are read to the end; a POST is repeated as GET after a 301 for a missing slash',
    page: 'docs/guides/build-a-service.md',
  },
  flask: {
    title: 'Flask',
    debian: ['python3-flask'],
    expected: '2.2',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole',
    page: 'docs/guides/build-a-service.md',
  },
  sinatra: {
    title: 'Sinatra',
    debian: ['ruby-sinatra', 'puma'],
    expected: '3.0',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole',
    page: 'docs/guides/build-a-service.md',
  },
  php: {
    title: 'PHP',
    debian: ['php8.2-cli'],
    expected: '8.2',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole',
    page: 'docs/guides/build-a-service.md',
  },
  illuminate: {
    title: 'Laravel',
    debian: ['php-illuminate-pagination', 'php8.2-cli'],
    expected: '8.83',
    purpose: 'page lists',
    result: 'three paginators are read to the end',
    page: 'docs/guides/build-a-service.md',
  },
  express: {
    title: 'Express',
    npm: ['express'],
    expected: '5.3.0',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole',
    page: 'docs/guides/build-a-service.md',
  },
  nest: {
    title: 'NestJS',
    npm: ['@nestjs/core', '@nestjs/common', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'],
    expected: '12.5.1',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole',
    page: 'docs/guides/build-a-service.md',
  },
  feathers: {
    title: 'Feathers',
    npm: ['@feathersjs/feathers', '@feathersjs/koa', '@feathersjs/memory'],
    expected: '5.0.50',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole',
    page: 'docs/guides/build-a-service.md',
  },
  hapi: {
    title: 'hapi',
    npm: ['@hapi/hapi'],
    expected: '21.4.10',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole, also compressed',
    page: 'docs/guides/build-a-service.md',
  },
  fastify: {
    title: 'Fastify',
    npm: ['fastify'],
    expected: '5.12.8',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole; 202 accepts a heartbeat',
    page: 'docs/guides/build-a-service.md',
  },
  koa: {
    title: 'Koa',
    npm: ['koa', '@koa/router', '@koa/bodyparser'],
    expected: '3.3.0',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole; 204 accepts a heartbeat',
    page: 'docs/guides/build-a-service.md',
  },
  moleculer: {
    title: 'Moleculer',
    npm: ['moleculer', 'moleculer-web'],
    expected: '0.14.36',
    purpose: 'be a service with its defaults',
    result:
      'all five operations; a list of up to 250 connectors is whole; an empty 200 to a heartbeat is a warning',
    page: 'docs/guides/build-a-service.md',
  },
  jsonServer: {
    title: 'json-server',
    npm: ['json-server'],
    expected: '0.17.4',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole',
    page: 'docs/guides/build-a-service.md',
  },
  gin: {
    title: 'Gin',
    debian: ['golang-github-gin-gonic-gin-dev', 'golang-go'],
    expected: '1.8',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole',
    page: 'docs/guides/build-a-service.md',
  },
  javaHttpServer: {
    title: 'com.sun.net.httpserver of OpenJDK',
    debian: ['openjdk-17-jdk-headless'],
    expected: '17',
    purpose: 'be a service with its defaults',
    result: 'all five operations; a list of up to 250 connectors is whole',
    page: 'docs/guides/build-a-service.md',
  },
  // gateways/
  curl: {
    title: 'curl',
    debian: ['curl'],
    expected: '7.88.1',
    purpose: 'read the variables for a proxy',
    result: 'the same proxy for each documented form, but for those that the test names',
    page: 'docs/configuration.md',
  },
  nginx: {
    title: 'nginx',
    debian: ['nginx'],
    expected: '1.22',
    purpose: 'stand between a client and a service',
    result: 'replaces X-Forwarded-For; no heartbeat is lost in a reload',
    page: 'docs/guides/production.md',
  },
  haproxy: {
    title: 'HAProxy',
    debian: ['haproxy'],
    expected: '2.6',
    purpose: 'stand between a client and a service',
    result: 'replaces X-Forwarded-For, as configured in contrib; no heartbeat is lost in a reload',
    page: 'docs/guides/production.md',
  },
  apache: {
    title: 'Apache httpd',
    debian: ['apache2'],
    expected: '2.4',
    purpose: 'stand between a client and a service',
    result: 'adds to X-Forwarded-For; no heartbeat is lost in a reload',
    page: 'docs/guides/production.md',
  },
  varnish: {
    title: 'Varnish',
    debian: ['varnish'],
    expected: '7.1',
    purpose: 'stand between a client and a service',
    result: 'adds to X-Forwarded-For; 503 also when the service may have done the work',
    page: 'docs/guides/production.md',
  },
  squid: {
    title: 'Squid',
    debian: ['squid'],
    expected: '5.7',
    purpose: 'stand between a client and a service',
    result: 'adds to X-Forwarded-For; no heartbeat is lost in a reload',
    page: 'docs/guides/production.md',
  },
  caddy: {
    title: 'Caddy',
    debian: ['caddy'],
    expected: '2.6',
    purpose: 'stand between a client and a service',
    result:
      'replaces X-Forwarded-For; an empty 200 for a host that it does not serve is no success',
    page: 'docs/guides/production.md',
  },
  tinyproxy: {
    title: 'tinyproxy',
    debian: ['tinyproxy'],
    expected: '1.11',
    purpose: 'stand between a client and a service',
    result: 'passes X-Forwarded-For on',
    page: 'docs/guides/production.md',
  },
  stunnel: {
    title: 'stunnel',
    debian: ['stunnel4'],
    expected: '5.68',
    purpose: 'stand between a client and a service',
    result: 'passes X-Forwarded-For on',
    page: 'docs/guides/production.md',
  },
  // formats/
  nodeExporter: {
    title: 'node_exporter',
    debian: ['prometheus-node-exporter'],
    expected: '1.5.0',
    purpose: 'read the reports of several checks',
    result: 'reads files of several services, names and inventories side by side',
    page: 'docs/check.md',
  },
  junitparser: {
    title: 'junitparser',
    debian: ['python3-junitparser'],
    expected: '2.8',
    purpose: 'read and add reports of JUnit',
    result: 'counts what the file says; names no case twice',
    page: 'docs/check.md',
  },
  junitReportMerger: {
    title: 'junit-report-merger',
    npm: ['junit-report-merger'],
    expected: '9.0.4',
    purpose: 'merge the reports of two fleets',
    result: 'keeps two fleets apart',
    page: 'docs/check.md',
  },
  xunitViewer: {
    title: 'xunit-viewer',
    npm: ['xunit-viewer'],
    expected: '10.6.1',
    purpose: 'show reports of JUnit',
    result: 'shows each finding',
    page: 'docs/check.md',
  },
  icinga: {
    title: 'Icinga 2',
    debian: ['icinga2-bin'],
    expected: '2.13.6',
    purpose: 'read performance data',
    result:
      "drops the threshold of a minimum; contrib's command ends before its time limit at a service that does not answer",
    page: 'docs/check.md',
  },
  negate: {
    title: 'negate of the Monitoring Plugins',
    debian: ['monitoring-plugins-basic'],
    expected: '2.3.3',
    purpose: 'swap the states of a check',
    result: 'swaps the exit code, and with --substitute the word in the first line',
    page: 'docs/check.md',
  },
  // starters/
  systemd: {
    title: 'systemd',
    debian: ['systemd'],
    expected: '252',
    purpose: 'name the system calls that the units allow',
    result: 'its sets of system calls are enough for each supported Node.js',
    page: 'contrib/README.md',
  },
  seccomp: {
    title: 'libseccomp for Python',
    debian: ['python3-seccomp'],
    expected: '2.5',
    purpose: 'apply the filter of the units to each supported Node.js',
    result: 'each unit starts, serves and checks under its filter',
    page: 'contrib/README.md',
  },
  nspawn: {
    title: 'systemd-nspawn',
    debian: ['systemd-container', 'systemd-sysv'],
    expected: '252',
    purpose: 'boot a machine that starts the units',
    result: 'each unit starts under systemd as process 1',
    page: 'contrib/README.md',
  },
  cron: {
    title: 'cron of Debian',
    debian: ['cron'],
    expected: '3.0pl1',
    purpose: 'run the line for a check',
    result: 'starts the line of docs/check.md, and takes the backslash from its percent sign',
    page: 'docs/check.md',
  },
  // service/
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;
