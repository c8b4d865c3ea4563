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

/* What several of them have in common. */
const service = {
  purpose: 'be a service with its defaults',
  result: 'all five operations; a list of up to 250 connectors is whole',
  page: 'docs/guides/build-a-service.md',
} as const;
const gateway = {
  purpose: 'stand between a client and a service',
  page: 'docs/guides/production.md',
} as const;

const yamlReader = {
  purpose: 'read lists as YAML',
  result: 'texts, numbers and nulls are those of JSON',
  page: 'docs/commands/connector/list.md',
} as const;

const caller = {
  purpose: 'run commands that fail',
  page: 'docs/commands/exit-codes.md',
} as const;

const starter = {
  purpose: 'start run with a command, and stop it',
  page: 'docs/guides/keep-alive.md',
} as const;

const shell = {
  purpose: 'complete command lines in a terminal',
  result: 'commands, flags, files and connectors, of whose names none is evaluated',
  page: 'docs/commands/completion.md',
} as const;

/** All of them, in the order of the subdirectories. `.ci/run` installs them. */
export const programs = {
  // services/
  fastapi: {
    ...service,
    title: 'FastAPI',
    debian: ['python3-fastapi', 'uvicorn'],
    expected: '0.92',
    result:
      'all five operations; a list of up to 250 connectors is whole; ids above 2^53 keep their digits',
  },
  restFramework: {
    ...service,
    title: 'Django REST framework',
    debian: ['python3-djangorestframework'],
    expected: '3.14',
    result:
      'three paginations are read to the end; a POST is repeated as GET after a 301 for a missing slash',
  },
  flask: {...service, title: 'Flask', debian: ['python3-flask'], expected: '2.2'},
  sinatra: {...service, title: 'Sinatra', debian: ['ruby-sinatra', 'puma'], expected: '3.0'},
  php: {...service, title: 'PHP', debian: ['php8.2-cli'], expected: '8.2'},
  illuminate: {
    title: 'Laravel',
    debian: ['php-illuminate-pagination', 'php8.2-cli'],
    expected: '8.83',
    purpose: 'page lists',
    result: 'three paginators are read to the end',
    page: 'docs/guides/build-a-service.md',
  },
  express: {...service, title: 'Express', npm: ['express'], expected: '5.3.0'},
  nest: {
    ...service,
    title: 'NestJS',
    npm: ['@nestjs/core', '@nestjs/common', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'],
    expected: '12.5.1',
  },
  feathers: {
    ...service,
    title: 'Feathers',
    npm: ['@feathersjs/feathers', '@feathersjs/koa', '@feathersjs/memory'],
    expected: '5.0.50',
  },
  hapi: {
    ...service,
    title: 'hapi',
    npm: ['@hapi/hapi'],
    expected: '21.4.10',
    result: 'all five operations; a list of up to 250 connectors is whole, also compressed',
  },
  fastify: {
    ...service,
    title: 'Fastify',
    npm: ['fastify'],
    expected: '5.12.8',
    result: 'all five operations; a list of up to 250 connectors is whole; 202 accepts a heartbeat',
  },
  koa: {
    ...service,
    title: 'Koa',
    npm: ['koa', '@koa/router', '@koa/bodyparser'],
    expected: '3.3.0',
    result: 'all five operations; a list of up to 250 connectors is whole; 204 accepts a heartbeat',
  },
  moleculer: {
    ...service,
    title: 'Moleculer',
    npm: ['moleculer', 'moleculer-web'],
    expected: '0.14.36',
    result:
      'all five operations; a list of up to 250 connectors is whole; an empty 200 to a heartbeat is a warning',
  },
  jsonServer: {...service, title: 'json-server', npm: ['json-server'], expected: '0.17.4'},
  gin: {
    ...service,
    title: 'Gin',
    debian: ['golang-github-gin-gonic-gin-dev', 'golang-go'],
    expected: '1.8',
  },
  javaHttpServer: {
    ...service,
    title: 'com.sun.net.httpserver of OpenJDK',
    debian: ['openjdk-17-jdk-headless'],
    expected: '17',
  },
  // gateways/
  curl: {
    title: 'curl',
    debian: ['curl'],
    expected: '7.88.1',
    purpose: 'read the variables for a proxy',
    result: 'the same proxy for each documented form, except those that the test names',
    page: 'docs/configuration.md',
  },
  nginx: {
    ...gateway,
    title: 'nginx',
    debian: ['nginx'],
    expected: '1.22',
    result: 'replaces X-Forwarded-For; no heartbeat is lost in a reload',
  },
  haproxy: {
    ...gateway,
    title: 'HAProxy',
    debian: ['haproxy'],
    expected: '2.6',
    result: 'replaces X-Forwarded-For, as configured in contrib; no heartbeat is lost in a reload',
  },
  apache: {
    ...gateway,
    title: 'Apache httpd',
    debian: ['apache2'],
    expected: '2.4',
    result: 'adds to X-Forwarded-For; no heartbeat is lost in a reload',
  },
  varnish: {
    ...gateway,
    title: 'Varnish',
    debian: ['varnish'],
    expected: '7.1',
    result: 'adds to X-Forwarded-For; 503 also when the service may have done the work',
  },
  squid: {
    ...gateway,
    title: 'Squid',
    debian: ['squid', 'openssl'],
    expected: '5.7',
    result: 'adds to X-Forwarded-For; no heartbeat is lost in a reload',
  },
  caddy: {
    ...gateway,
    title: 'Caddy',
    debian: ['caddy'],
    expected: '2.6',
    result:
      'replaces X-Forwarded-For; an empty 200 for a host that it does not serve is no success',
  },
  tinyproxy: {
    ...gateway,
    title: 'tinyproxy',
    debian: ['tinyproxy'],
    expected: '1.11',
    result: 'passes X-Forwarded-For on',
  },
  stunnel: {
    ...gateway,
    title: 'stunnel',
    debian: ['stunnel4'],
    expected: '5.68',
    result: 'passes X-Forwarded-For on',
  },
  // formats/
  pyyaml: {...yamlReader, title: 'PyYAML', debian: ['python3-yaml'], expected: '6.0'},
  psych: {...yamlReader, title: 'Psych of Ruby', debian: ['ruby'], expected: '3.1'},
  gojq: {...yamlReader, title: 'gojq', debian: ['gojq'], expected: '0.12.11'},
  jsYaml: {...yamlReader, title: 'js-yaml', npm: ['js-yaml'], expected: '5.5.0'},
  phpYaml: {
    ...yamlReader,
    title: 'yaml of PHP',
    debian: ['php-yaml', 'php8.2-cli'],
    expected: '2.2.2',
  },
  miller: {
    title: 'Miller',
    debian: ['miller'],
    expected: '6.6.0',
    purpose: 'read lists as CSV, and sort an inventory',
    result: 'each id and name; a sorted inventory matches its fleet',
    page: 'docs/commands/connector/list.md',
  },
  sqlite: {
    title: 'sqlite3',
    debian: ['sqlite3'],
    expected: '3.40',
    purpose: 'read lists as CSV',
    result: 'each id and name, as text',
    page: 'docs/commands/connector/list.md',
  },
  ssconvert: {
    title: 'ssconvert of Gnumeric',
    debian: ['gnumeric'],
    expected: '1.12.55',
    purpose: 'read lists as CSV',
    result: 'no name becomes a formula; ids that look like numbers or dates become those',
    page: 'docs/commands/connector/list.md',
  },
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
  junitToCtrf: {
    title: 'junit-to-ctrf',
    npm: ['junit-to-ctrf'],
    expected: '0.0.14',
    purpose: 'read reports of JUnit',
    result: 'the totals are those of its cases',
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
  nrpe: {
    title: 'NRPE',
    debian: ['nagios-nrpe-server', 'nagios-nrpe-plugin'],
    expected: '4.1.0',
    purpose: 'run the check of another machine',
    result: 'passes on the exit code and every line; protocol 2 cuts at 1,024 bytes',
    page: 'docs/check.md',
  },
  prometheus: {
    title: 'Prometheus',
    debian: ['prometheus'],
    expected: '2.42',
    purpose: 'scrape /metrics, and evaluate the rules of contrib',
    result:
      'an alert fires after its minute, and ends; promtool accepts rules, /metrics and the textfile',
    page: 'docs/guides/production.md',
  },
  alertmanager: {
    title: 'Alertmanager',
    debian: ['prometheus-alertmanager'],
    expected: '0.25',
    purpose: 'send an alert and its end',
    result: 'a receiver gets both',
    page: 'docs/guides/production.md',
  },
  make: {
    ...caller,
    title: 'GNU make',
    debian: ['make'],
    expected: '4.3',
    result: 'ends with 2 at the first',
  },
  xargs: {
    ...caller,
    title: 'xargs of GNU',
    debian: ['findutils'],
    expected: '4.9',
    result: 'ends with 123 after the last',
  },
  parallel: {
    ...caller,
    title: 'GNU parallel',
    debian: ['parallel'],
    expected: '20221122',
    result: 'ends with the number of those that failed',
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
  dumbInit: {
    ...starter,
    title: 'dumb-init',
    debian: ['dumb-init'],
    expected: '1.2',
    result: 'TERM reaches the command twice, with -c once',
  },
  tini: {
    ...starter,
    title: 'tini',
    debian: ['tini'],
    expected: '0.19',
    result: 'TERM reaches the command once, with -g twice',
  },
  catatonit: {
    ...starter,
    title: 'catatonit',
    debian: ['catatonit'],
    expected: '0.1.7',
    result: 'TERM reaches the command once, with -g twice; needs -- before connectorctl',
  },
  timeout: {
    ...starter,
    title: 'timeout of GNU',
    debian: ['coreutils'],
    expected: '9.1',
    result: 'TERM reaches the command once or twice, and CONT follows',
  },
  runit: {
    ...starter,
    title: 'runit',
    debian: ['runit'],
    expected: '2.1.2',
    result: 'TERM reaches the command once; CONT does not',
  },
  s6: {
    ...starter,
    title: 's6',
    debian: ['s6'],
    expected: '2.11',
    result: 'TERM reaches the command once; CONT does not',
  },
  daemontools: {
    ...starter,
    title: 'daemontools',
    debian: ['daemontools'],
    expected: '0.76',
    result: 'TERM reaches the command once; CONT does not',
  },
  monit: {
    title: 'Monit',
    debian: ['monit'],
    expected: '5.33',
    purpose: 'start a check',
    result: 'the check has the environment of Monit, and MONIT_SERVICE',
    page: 'docs/check.md',
  },
  ansible: {
    title: 'Ansible',
    debian: ['ansible-core'],
    expected: '2.14',
    purpose: 'play the role of contrib',
    result: 'activates a machine once, and changes nothing when it runs again',
    page: 'docs/guides/automation.md',
  },
  // shells/
  bash: {...shell, title: 'bash', debian: ['bash'], expected: '5.2'},
  zsh: {...shell, title: 'zsh', debian: ['zsh'], expected: '5.9'},
  fish: {...shell, title: 'fish', debian: ['fish'], expected: '3.6'},
  // clusters/
  patroni: {
    title: 'Patroni',
    debian: ['patroni', 'etcd-server', 'haproxy'],
    expected: '3.0',
    purpose: 'lead three servers of PostgreSQL behind HAProxy',
    result: 'no acknowledged change is lost or done twice, whatever fails',
    page: 'docs/guides/high-availability.md',
  },
  pgbouncer: {
    title: 'PgBouncer',
    debian: ['pgbouncer'],
    expected: '1.18',
    purpose: 'pool the sessions of a store in PostgreSQL',
    result: 'works where it pools sessions; where it pools transactions, serve says so',
    page: 'docs/guides/postgres.md',
  },
  // service/
  python: {
    title: 'Python',
    debian: ['python3'],
    expected: '3.11',
    purpose: 'run a service that was written from the documents alone',
    result: 'passes conformance --strict; a whole life of a connector',
    page: 'docs/guides/build-a-service.md',
  },
} as const satisfies Readonly<Record<string, Program>>;

/** Programs that were tried by hand, with what came out; no test runs them. */
export const triedByHand: readonly Pick<Program, 'title' | 'expected' | 'purpose' | 'result'>[] = [
  {
    title: 'Nagios Core',
    expected: '4.4.6',
    purpose: 'hand the output of a check on',
    result: 'the long output is whole; quotes and ~ are missing from performance data',
  },
  {
    title: 'rsyslog',
    expected: '8.2302',
    purpose: 'keep a long line of the log of serve',
    result: 'cuts it at 8 KiB, in the middle of its JSON',
  },
  {
    title: 'systemd-cron',
    expected: '1.15.19',
    purpose: 'start the line of docs/check.md',
    result: 'takes the backslash from the percent sign too; a check that fails makes the unit fail',
  },
  {
    title: 'flock of util-linux',
    expected: '2.38',
    purpose: 'hold a lock around run with a command',
    result: 'the lock is free once run is killed, also while the command goes on',
  },
  {
    title: 'ansible-core',
    expected: '2.14.18',
    purpose: '--check of the role of contrib on a new machine',
    result: 'skips the token and the activation, and does not fail',
  },
  {
    title: 'csvkit',
    expected: '1.0.7',
    purpose: 'sort a list as CSV',
    result: 'rewrites ids such as 007 and 1e5, unless it gets -I and --blanks',
  },
  {
    title: 'Pushgateway',
    expected: '1.5.1',
    purpose: 'take the file of a check',
    result: 'groups it by the labels of the path; an empty file removes its metrics',
  },
];

export type ProgramName = keyof typeof programs;
