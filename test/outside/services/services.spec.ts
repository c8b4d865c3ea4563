import {readFileSync} from 'node:fs';
import {expect} from 'chai';
import {parse} from 'csv-parse/sync';
import {runCli} from '../../support/command/run-cli.js';
import {runUntil} from '../../support/process/live-child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {describeWith} from '../installed.js';
import {programs} from '../programs.js';
import {laravel, type Running, removeState, type Service, services, startService} from './start.js';

const counts = [0, 1, 20, 21, 250] as const;

/** The title of a service, such as `Django REST framework (CursorPagination)`. */
const titleOf = ({program, variant}: Service) =>
  programs[program].title + (variant === undefined ? '' : ` (${variant})`);

/** Runs the body of a suite with a running service. */
function withService(service: Service, body: (running: () => Running) => void): void {
  describeWith([service.program], `connectorctl at a service of ${titleOf(service)}`, () => {
    let running: Running | undefined;
    before(async () => {
      running = await startService(service);
    });
    after(() => running?.stop());
    body(() => running as Running);
  });
}

const envOf = ({url}: Running) => ({
  CONNECTORCTL_BASE_URL: url,
  CONNECTORCTL_API_KEY: 'key-0123456789',
});

/** Runs a command that has to succeed, and returns its stdout. */
async function output(running: Running, argv: readonly string[]): Promise<string> {
  const run = await runCli(argv, {env: envOf(running)});
  expect(run, argv.join(' ')).to.deep.include({code: 0});
  return run.stdout;
}

function itLists(running: () => Running): void {
  for (const count of counts) {
    it(`lists all of ${count} connectors as a table, as CSV and as JSON`, async () => {
      await running().fill(count);
      const names = Array.from({length: count}, (_, at) => `web-${at + 1}`);
      const list = ['connector', 'list', '--sort', 'id'];
      const json = JSON.parse(await output(running(), [...list, '--json']));
      expect(json.map(({name}: {name: string}) => name)).to.have.members(names);
      const csv = parse(await output(running(), [...list, '-o', 'csv']), {columns: true});
      expect((csv as {name: string}[]).map(({name}) => name)).to.have.members(names);
      const table = await output(running(), [...list, '-o', 'table']);
      expect(table.match(/\bweb-\d+/g) ?? []).to.have.members(names);
    });
  }
}

/** The services that can be run here. */
const there: Service[] = [];

for (const service of services) {
  withService(service, (running) => {
    there.push(service);
    const at = temporaryDirectory();
    const [noId, noToken, used] = service.refusals;
    const token = async () => (await output(running(), ['token', 'create', '-q'])).trim();
    const withToken = async (argv: readonly string[], value: string) =>
      runCli(argv, {env: {...envOf(running()), CONNECTORCTL_ACTIVATION_TOKEN: value}});
    const activate = ['connector', 'activate', '--name', 'new-1'];

    itLists(running);

    it('gets a connector, and shows it as JSON as the service does', async () => {
      await running().fill(21);
      const csv = await output(running(), ['connector', 'list', '-o', 'csv']);
      const [first] = parse(csv, {columns: true}) as {id: string; name: string}[];
      const details = await output(running(), ['connector', 'get', first?.id ?? '', '--json']);
      expect(details)
        .to.match(new RegExp(`"id": ?"?${first?.id}\\b`))
        .and.include(first?.name);
    });

    it('sends a heartbeat, after which the connector is young enough for check --max-age', async () => {
      await running().fill(1);
      const id = (await output(running(), ['connector', 'list', '-o', 'id'])).trim();
      const check = ['connector', 'check', '--max-age', '1m'];
      expect(await runCli(check, {env: envOf(running())})).to.deep.include({code: 9});
      await output(running(), ['connector', 'heartbeat', id]);
      expect(await output(running(), check)).to.include('ok');
      const old = ['connector', 'list', '--older-than', '1m', '--json'];
      expect(JSON.parse(await output(running(), old))).to.deep.equal([]);
    });

    it('activates a connector, and shows the response or saves it in a credentials file', async () => {
      await running().fill(0);
      const plain = await withToken(activate, await token());
      expect(plain).to.deep.include({code: 0});
      const file = at('new-1.json');
      const into = [...activate, '--credentials-file', file];
      expect(await withToken(into, await token())).to.deep.include({code: 0});
      const saved = JSON.parse(readFileSync(file, 'utf8'));
      expect(saved.connector_id).to.match(/^\w+$/);
      await output(running(), ['connector', 'heartbeat', '--credentials-file', file]);
    });

    it('says why the service refuses an unknown id, an unknown token and a used one', async () => {
      const get = await runCli(['connector', 'get', '99999'], {env: envOf(running())});
      expect(get).to.deep.include({code: 4});
      expect(get.stderr).to.match(noId);
      const unknown = await withToken(activate, 'no-such-token');
      expect(unknown).to.deep.include({code: 2});
      expect(unknown.stderr).to.match(noToken);
      const value = await token();
      expect(await withToken(activate, value)).to.deep.include({code: 0});
      const again = await withToken(activate, value);
      expect(again).to.deep.include({code: 5});
      expect(again.stderr).to.match(used);
    });

    if (service.surprise !== undefined) {
      const [argv, shown] = service.surprise;
      it(`meets what may surprise, ${shown.source}, with ${argv.join(' ')}`, async () => {
        await running().fill(100);
        const ids = (await output(running(), ['connector', 'list', '-o', 'id'])).split('\n');
        const id = argv.includes('list') ? [] : ids.slice(0, 1);
        const run = await runCli([...argv, ...id, '--debug'], {env: envOf(running())});
        expect(run).to.deep.include({code: 0});
        expect(run.stdout + run.stderr).to.match(shown);
      });
    }

    it('passes conformance, as far as it does what the interface says', async () => {
      await running().fill(21);
      const run = await runCli(['conformance', '--writes-to', '127.0.0.1'], {
        env: envOf(running()),
      });
      const failed = [...run.stdout.matchAll(/^(?:FAIL|ERR ) +(\S+)/gm)].map(([, id]) => id);
      // All break the interface: numbers as ids, FastAPI's UTC as +00:00, and redirects that make a POST a GET.
      const own = ['2/id', ...(service.breaks ?? [])];
      expect(failed.filter((id) => !own.includes(id ?? ''))).to.deep.equal([]);
      expect(run.code).to.equal(failed.length > 0 ? 9 : 0);
    });
  });
}

/** The accepted heartbeats of more than a minute. */
const beats = ({keepAlive = 5}: Service) => Math.ceil(60 / keepAlive) + 2;

describe('connectorctl connector run', () => {
  const runs = new Map<Service, ReturnType<typeof beatFor>>();
  before(async () => {
    // All at once: it is the minute that takes time, not the work.
    for (const service of there) runs.set(service, beatFor(service));
    // The end of the first test would end what it finds running.
    await Promise.allSettled(runs.values());
  });

  async function beatFor(service: Service) {
    const running = await startService(service);
    try {
      await running.fill(1);
      const id = (await output(running, ['connector', 'list', '-o', 'id'])).trim();
      const argv = ['connector', 'run', id, '--every', `${service.keepAlive ?? 5}s`];
      const lines = new RegExp(`(.*\\n){${beats(service)}}`);
      return await runUntil(lines, argv, {env: envOf(running)});
    } finally {
      await running.stop();
    }
  }

  for (const service of there) {
    it(`has each heartbeat of a minute accepted by a service of ${titleOf(service)}, whenever that closes the connection`, async () => {
      const {code, stderr} = (await runs.get(service)) ?? {};
      // Moleculer answers a heartbeat with an empty 200, which a warning says once; a failure would say more.
      const failures = stderr?.replace(/^Warning: .* answered 200 with an empty response.*\n/, '');
      expect({code, failures}).to.deep.equal({code: 0, failures: ''});
    });
  }
});

for (const service of laravel) withService(service, itLists);

after(removeState);
