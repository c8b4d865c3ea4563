import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Interfaces} from '@oclif/core';
import {expect} from 'chai';
import {
  firstKeyFile,
  runChild,
  type Service,
  startServe,
  startService,
} from '../support/process/child.js';
import {root} from '../support/sources.js';

const {commands}: Interfaces.Manifest = JSON.parse(
  readFileSync(join(root, 'oclif.manifest.json'), 'utf8'),
);

/** Warnings of Node.js that a dependency causes: a pattern, the dependency, and its issue. There are none. */
const knownWarnings: readonly (readonly [pattern: RegExp, dependency: string, issue: string])[] =
  [];

/** The first line of each warning of Node.js. */
const warningsIn = (stderr: string) =>
  [...stderr.matchAll(/^\(node:\d+\) .*$/gm)]
    .map(([line]) => line)
    .filter((line) => !knownWarnings.some(([pattern]) => pattern.test(line)));

/** What a command line needs. */
interface Place {
  readonly id: string;
  readonly list: string;
  readonly token: string;
  readonly at: (...names: string[]) => string;
  readonly store: string;
}

/** How each command is run. */
const lines: Readonly<Record<string, (place: Place) => readonly string[]>> = {
  __complete: () => ['--', 'connector', 'get', ''],
  completion: () => ['bash'],
  conformance: () => ['--base-url', 'http://127.0.0.1:1'],
  'connector:activate': ({token}) => ['--token-file', token, '--name', 'one'],
  'connector:check': () => [],
  'connector:enroll': ({list, at}) => [list, '--credentials-dir', at('out'), '--parallel', '64'],
  'connector:get': ({id}) => [...Array<string>(20).fill(id)],
  'connector:heartbeat': ({id}) => [id],
  'connector:list': () => [],
  'connector:monitor': () => ['--once'],
  'connector:run': ({id}) => [id, '--', 'true'],
  doctor: () => [],
  'key:create': ({store}) => ['--store', store],
  'key:list': ({store}) => ['--store', store],
  'key:revoke': ({store}) => ['key_none', '--store', store],
  login: ({at}) => ['--api-key-file', at('key'), '--profile', 'main'],
  logout: () => ['main'],
  'profile:list': () => [],
  'profile:remove': () => ['none'],
  'profile:set': () => ['other'],
  'profile:use': () => ['other'],
  'sandbox:advance': () => ['1s'],
  'sandbox:fault:add': () => ['get:503@1%'],
  'sandbox:fault:clear': () => [],
  'sandbox:fleet': () => ['3'],
  'sandbox:status': () => [],
  serve: ({store}) => ['--store', store, '--host', '192.0.2.1'],
  'store:check': ({store}) => [store],
  'store:copy': ({store, at}) => [store, at('copy')],
  'store:reissue': ({id, store}) => [id, '--store', store],
  'store:remove': ({id, store}) => [id, '--store', store, '--yes'],
  'store:unknown': ({store}) => ['--store', store],
  'token:create': () => [],
  whoami: () => [],
};

describe('warnings of Node.js', () => {
  let directory = '';
  const at = (...names: string[]) => join(directory, ...names);
  let sandbox: Service;
  let service: Service;
  let place: Place;
  let env: Record<string, string>;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'connectorctl-warnings-'));
    sandbox = await startServe(['--sandbox']);
    await sandbox.until(/CONNECTORCTL_API_KEY=\S+\n/);
    const [, key = ''] = /CONNECTORCTL_API_KEY=(\S+)/.exec(sandbox.stderr()) ?? [];
    env = {CONNECTORCTL_BASE_URL: sandbox.url, CONNECTORCTL_API_KEY: key};
    const made = await runChild(['sandbox', 'fleet', '3', '--json'], {env});
    expect(made.code, made.stderr).to.equal(0);
    const listed = await runChild(['connector', 'list', '-o', 'id'], {env});
    const [id = ''] = listed.stdout.split('\n');
    const token = await runChild(['token', 'create', '--quiet'], {env});
    place = {id, list: at('list.csv'), token: at('token'), at, store: at('store')};
    writeFileSync(place.token, token.stdout, {mode: 0o600});
    writeFileSync(at('key'), key, {mode: 0o600});
    const names = Array.from({length: 80}, (_, index) => `m-${index}`);
    writeFileSync(place.list, ['name', ...names].join('\n'));
    service = await startService(place.store);
    await firstKeyFile(service);
  });

  after(async () => {
    await Promise.all([sandbox.stop(), service.stop()]);
    rmSync(directory, {force: true, recursive: true});
  });

  it('are looked for in every command', () => {
    expect(Object.keys(lines).sort()).to.deep.equal(Object.keys(commands).sort());
    const parallel = Object.values(commands).filter(({flags}) => 'parallel' in flags);
    expect(parallel.map(({id}) => id)).to.deep.equal(['connector:enroll']);
  });

  for (const [id, argv] of Object.entries(lines)) {
    it(`are not printed by connectorctl ${id.replaceAll(':', ' ')}`, async () => {
      const line = [...id.split(':'), ...argv(place)];
      const {code, stderr} = await runChild(line, {env, home: at()});
      expect(code, stderr).to.be.at.least(0);
      expect(warningsIn(stderr)).to.deep.equal([]);
    });
  }

  it('are not printed by a service that all these commands called', () => {
    expect(warningsIn(sandbox.stderr() + service.stderr())).to.deep.equal([]);
  });
});
