import {chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {root} from '../sources.js';
import {addCitus, installedVersion15} from './binaries.js';
import {fast, PostgresCluster, type Settings} from './cluster.js';

/** The source of Citus: a running cluster, or the extension to make one with. */
type CitusSource = {readonly url: string} | {readonly archive: string} | {readonly missing: string};

/** The extension is built against the headers of this version, which differ from those before it. */
const leastVersion = 20;

/** Looks for `CITUS_URL`, and for the extension in `CITUS_DIRECTORY` or `../shared/citus`. */
export function findCitus(): CitusSource {
  const url = process.env['CITUS_URL'];
  if (url !== undefined && url !== '') return {url};
  const directory = process.env['CITUS_DIRECTORY'] ?? join(root, '..', 'shared', 'citus');
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const name = names.find((path) => /^citus-.*-postgresql-15-linux-x64\.tar\.xz$/.test(path));
  if (name === undefined) {
    return {missing: `CITUS_URL is not set, and ${directory} has no build of the extension`};
  }
  const version = installedVersion15();
  if (version === undefined || Number(version.split('.')[1]) < leastVersion) {
    return {
      missing: `the extension needs PostgreSQL 15.${leastVersion} or later of Debian 12; installed: ${version ?? 'none'}`,
    };
  }
  return {archive: join(directory, name)};
}

/** The blocks of the page for Citus in one language, without their indentation. */
function blocks(language: string): readonly string[] {
  const page = readFileSync(join(root, 'docs/internals/citus.md'), 'utf8');
  const found = page.matchAll(new RegExp(`^ *\`\`\`${language}\\n(.*?)\`\`\`$`, 'gms'));
  return [...found].map(([, block = '']) => block);
}

const [configuration = ''] = blocks('ini');
const [joining = '', distributing = '', setting = ''] = blocks('sql');

/** The statements of the page that distribute the tables of a store. */
export const distribute = distributing;

/** A private coordinator and its workers, built word for word from the page. */
export class CitusServers {
  readonly coordinator: PostgresCluster;
  readonly workers: readonly PostgresCluster[];
  readonly #directory: string;

  private constructor(
    [coordinator, ...workers]: readonly [PostgresCluster, ...PostgresCluster[]],
    directory: string,
  ) {
    this.coordinator = coordinator;
    this.workers = workers;
    this.#directory = directory;
  }

  static async start(archive: string, settings: Settings = fast): Promise<CitusServers> {
    const directory = mkdtempSync(join(tmpdir(), 'connectorctl-citus-'));
    chmodSync(directory, 0o755);
    let binaries: string;
    try {
      binaries = addCitus(archive, directory);
    } catch (error) {
      rmSync(directory, {recursive: true, force: true});
      throw error;
    }
    // Each server listens at an address of its own port.
    const lines = configuration
      .trim()
      .split('\n')
      .filter((line) => !/^listen_addresses/.test(line));
    const more = {
      ...settings,
      ...Object.fromEntries(lines.map((line) => line.trim().split(' = '))),
    };
    const make = () => PostgresCluster.make(more, binaries);
    const servers: [PostgresCluster, ...PostgresCluster[]] = [await make()];
    while (servers.length < 3) servers.push(await make());
    const citus = new CitusServers(servers, directory);
    try {
      await Promise.all(servers.map((server) => server.start()));
      await Promise.all(servers.map((server) => server.query('CREATE EXTENSION citus')));
      await citus.#join();
      return citus;
    } catch (error) {
      await citus.remove();
      throw error;
    }
  }

  async #join(): Promise<void> {
    let statements = joining;
    for (const [index, {port}] of [this.coordinator, ...this.workers].entries()) {
      statements = statements.replace(`'10.0.0.${index + 1}', 5432`, `'127.0.0.1', ${port}`);
    }
    await this.coordinator.query(statements);
    await this.coordinator.query(setting.replace('connectorctl', 'postgres'));
  }

  get url(): string {
    return this.coordinator.url();
  }

  async remove(): Promise<void> {
    await Promise.all([this.coordinator, ...this.workers].map((server) => server.remove()));
    rmSync(this.#directory, {recursive: true, force: true});
  }
}
