import {spawnSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {validate} from 'dockerfile-utils';
import {parse} from 'yaml';
import {problems, routes} from '../../../src/contract/index.js';
import {variablesWithoutFlag} from '../../../src/flags.js';
import {prometheusReport} from '../../../src/report/formats/prometheus.js';
import {Metrics} from '../../../src/server/observability/metrics.js';
import {heapFor, heapOptions, memoryBesideHeap} from '../../support/heap.js';
import {isInstalled} from '../../support/notice.js';
import {Service} from '../../support/server/service.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {everyStatus} from '../../support/values/report.js';
import {units} from '../../support/values/units.js';

const path = (...names: string[]) => join(root, 'contrib', ...names);
const read = (...names: string[]) => readFileSync(path(...names), 'utf8');

/** Runs a linter. */
function lint(program: string, ...args: string[]) {
  const {status, stdout, stderr} = spawnSync(program, args, {encoding: 'utf8'});
  return {status, output: `${stdout}${stderr}`};
}

const hasAnalyze = isInstalled('systemd-analyze');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: {readonly severity: string};
  readonly annotations: {readonly summary: string};
}
const rules: Rule[] = parse(read('prometheus', 'alerts.yml')).groups.flatMap(
  (group: {rules: Rule[]}) => group.rules,
);
interface Panel {
  readonly title: string;
  readonly targets: readonly {readonly expr: string}[];
}
const dashboard = JSON.parse(read('grafana', 'connectorctl.json'));
const panels: Panel[] = dashboard.panels;
const queries = [
  ...rules.map(({alert, expr}) => ({name: alert, expr})),
  ...panels.flatMap(({title, targets}) => targets.map(({expr}) => ({name: title, expr}))),
];

describe('the rules and the dashboard', () => {
  /** All names of samples. */
  const exported = new Set(['up']);
  let payload: string;
  before(async () => {
    const metrics = new Metrics();
    metrics.measureProcess();
    metrics.disk('.');
    const service = await new Service({metrics}).start();
    ({payload} = await service.send({method: 'GET', url: '/metrics'}));
    await service.stop();
    const check = await prometheusReport(everyStatus);
    for (const [, name = '', type] of `${payload}${check}`.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      for (const suffix of suffixes) exported.add(name + suffix);
    }
  });

  for (const {name, expr} of queries) {
    it(`"${name}" uses metrics of the service or of a check: ${expr.slice(0, 60).trim()}`, () => {
      const names = expr.match(/\b(?:connectorctl|nodejs|process)_\w+|\bup\b/g) ?? [];
      expect(names).not.to.deep.equal([]);
      for (const asked of names) expect(exported).to.include(asked);
      for (const [, codes = ''] of expr.matchAll(/code=~?"([^"]+)"/g)) {
        expect(Object.keys(problems)).to.include.members(codes.split('|'));
      }
      for (const [, route = ''] of expr.matchAll(/route="([^"]+)"/g)) {
        const paths = Object.values(routes).map((operation) =>
          operation.path.replace('{id}', ':id'),
        );
        expect(paths).to.include(route);
      }
    });
  }

  if (isInstalled('promtool')) {
    it('use metrics that promtool accepts', () => {
      const {status, stdout, stderr} = spawnSync('promtool', ['check', 'metrics'], {
        encoding: 'utf8',
        input: payload,
      });
      expect({status, output: stdout + stderr}).to.deep.equal({status: 0, output: ''});
    });
  }
});

const manifest = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'));
const variables = new Set([
  ...Object.keys(variablesWithoutFlag),
  ...Object.values<{flags: Record<string, {env?: string}>}>(manifest.commands).flatMap(({flags}) =>
    Object.values(flags).map(({env}) => env),
  ),
]);

/** Asserts that commands read every variable of ours that a file sets. */
function expectKnownVariables(text: string): void {
  const named = text.match(/\bCONNECTORCTL_[A-Z_]+/g) ?? [];
  for (const name of named) expect(variables).to.include(name);
}

/** What restricts a process: systemd.exec(5), "Sandboxing", "System Call Filtering", and what leaves traces of its memory. */
const restriction =
  /^(CapabilityBoundingSet|LimitCORE|Lock|NoNew|Private|Protect|RemoveIPC|Restrict(?!Prevent)|SystemCall|UMask)/;
const differences: Readonly<Record<string, Readonly<Record<'more' | 'less', string[]>>>> = {
  // It needs no network.
  'connectorctl-backup.service': {
    more: ['PrivateNetwork=yes', 'RestrictAddressFamilies=AF_UNIX'],
    less: ['RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX'],
  },
  // The collector reads its file.
  'connectorctl-check.service': {more: ['UMask=0022'], less: ['UMask=0077']},
  // The others have DynamicUser=, which implies it, or share their user with another service.
  'connectorctl-serve.service': {more: ['RemoveIPC=yes'], less: []},
};

describe('the systemd units', () => {
  const inDirectory = temporaryDirectory();

  it('restrict their processes by the same lines, but for differences that have a reason', () => {
    expect(units).to.have.length(6);
    const own = units.map(({name, lines}) => ({
      name,
      lines: lines.filter((line) => restriction.test(line)),
    }));
    const {lines: common = []} = own.find(({name}) => differences[name] === undefined) ?? {};
    expect(common).to.have.length(23);
    for (const {name, lines} of own) {
      const {more = [], less = []} = differences[name] ?? {};
      const expected = [...common.filter((line) => !less.includes(line)), ...more].sort();
      expect(lines.sort(), name).to.deep.equal(expected);
    }
  });

  // The news of systemd 252, in Debian: LoadCredential= is from 247, and %d from 251.
  it('use no specifier that the systemd 247 of Debian 11 does not know', () => {
    for (const {name, lines} of units) {
      for (const line of lines) expect(line.replaceAll('%%', ''), name).not.to.match(/%[^iS]/);
    }
  });

  it('let the last systemd-notify finish when they stop', () => {
    for (const {name, values} of units) {
      if (values('Type').includes('notify')) {
        expect([...values('KillMode'), ...values('NotifyAccess')], name).to.deep.equal([
          'mixed',
          'all',
        ]);
      }
    }
  });

  it('set only variables that a command reads', () => {
    for (const {text} of units) expectKnownVariables(text);
  });

  for (const {name: unit, text} of units) {
    if (hasAnalyze) {
      it(`${unit} passes systemd-analyze and restricts the process`, () => {
        const file = inDirectory(unit);
        writeFileSync(file, text.replaceAll('/usr/bin/connectorctl', process.execPath));
        expect(lint('systemd-analyze', 'verify', '--man=no', file)).to.deep.equal({
          status: 0,
          output: '',
        });
        const secure = lint('systemd-analyze', 'security', '--offline=yes', '--threshold=25', file);
        expect(secure.status, secure.output).to.equal(0);
      });
    }
  }

  it('and the containers give a process the memory of its heap and of what Node.js needs beside it', () => {
    const heap = 1024 - memoryBesideHeap;
    for (const [directory, name, gibibyte] of [
      ['systemd', 'connectorctl-serve.service', /^MemoryMax=1G$/m],
      ['systemd', 'connectorctl-backup.service', /^MemoryMax=1G$/m],
      ['docker', 'compose.yaml', /^ {4}mem_limit: 1024m$/m],
      ['kubernetes', 'serve.yaml', /limits: \{memory: 1Gi\}/],
    ] as const) {
      expect(read(directory, name)).to.match(gibibyte).and.include(heapOptions(heap));
    }
    // What the default bounds allow two organizations, and the connectors of the comment.
    expect(heap).to.be.at.least(heapFor({connectors: 400_000, tokens: 200_000}));
    expect(heap).to.be.at.least(heapFor({connectors: 600_000}));
  });
});

const composeFiles = [
  ['docker', 'compose.yaml'],
  ['docker', 'agent.compose.yaml'],
  ['docker', 'postgres.compose.yaml'],
  ['sandbox', 'compose.yaml'],
] as const;

describe('the container', () => {
  const dockerfile = read('docker', 'Dockerfile');

  it('has Dockerfiles without linter findings', () => {
    for (const text of [dockerfile, read('docker', 'agent.Dockerfile')]) {
      expect(validate(text)).to.deep.equal([]);
    }
  });

  it('has compose files that match the Compose specification and pass its linter', () => {
    const dclint = join(root, 'node_modules/.bin/dclint');
    const {status, output} = lint(
      dclint,
      '--max-warnings',
      '0',
      ...composeFiles.map((names) => path(...names)),
    );
    expect(status, output).to.equal(0);
  });

  it('pins every image that it does not build by its digest', () => {
    const named = composeFiles.flatMap((names) =>
      Object.values<{image?: string}>(parse(read(...names)).services).map(({image}) => image),
    );
    const stages = [...dockerfile.matchAll(/^FROM (\S+)(?: AS (\w+))?$/gm)];
    const bases = stages.map(([, image]) => image);
    const own = stages.map(([, , stage]) => stage);
    const images = [...named, ...bases].filter(
      (image) => image !== undefined && !own.includes(image),
    );
    expect(images).to.have.length(3);
    for (const image of images) expect(image).to.match(/^[\w./-]+:[\w.-]+@sha256:[\da-f]{64}$/);
  });
});
