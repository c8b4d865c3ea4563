// The main job from end to end, as a user would type it: a service on a new store, then each command.
// Stops everything it starts, removes its files, and exits with 1 if anything fails.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';

const bin = join(dirname(fileURLToPath(import.meta.url)), '..', 'bin', 'run.js');
const directory = mkdtempSync(join(tmpdir(), 'connectorctl-quickstart-'));
const keyFile = join(directory, 'api-key');
const startLimit = 30_000;
const commandLimit = 30_000;

// Settings in the user's environment must not affect the demonstration.
const cleanEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('CONNECTORCTL_')),
);

function fail(message) {
  throw new Error(message);
}

async function startService() {
  const args = ['serve', '--port', '0', '--store', join(directory, 'store')];
  const service = spawn(
    process.execPath,
    [bin, ...args, '--bootstrap-key-file', keyFile, '--log-level', 'warn'],
    {env: cleanEnv, stdio: ['ignore', 'pipe', 'inherit']},
  );
  console.log(
    `$ connectorctl ${args.join(' ')} --bootstrap-key-file ${keyFile} --log-level warn &`,
  );
  const lines = createInterface({input: service.stdout});
  const [url] = await Promise.race([
    once(lines, 'line', {signal: AbortSignal.timeout(startLimit)}),
    once(service, 'exit').then(([code]) => fail(`serve ended with exit code ${code}`)),
  ]);
  console.log(`${url}\n`);
  return {service, url};
}

async function stopService(service) {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  const kill = setTimeout(() => service.kill('SIGKILL'), startLimit);
  const [code] = await ended;
  clearTimeout(kill);
  if (code !== 0) fail(`serve did not stop cleanly (exit code ${code})`);
}

/** Runs a command as a child process, prints it with its output, and returns its stdout. */
async function run(env, shown, ...args) {
  console.log(`$ ${shown}connectorctl ${args.join(' ')}`);
  const child = spawn(process.execPath, [bin, ...args], {
    env: {...cleanEnv, ...env},
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: commandLimit,
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  console.log(output);
  if (code !== 0) fail(`connectorctl ${args.join(' ')} ended with exit code ${code}`);
  return output.trim();
}

let service;
try {
  const started = await startService();
  service = started.service;
  const env = {CONNECTORCTL_BASE_URL: started.url, CONNECTORCTL_API_KEY_FILE: keyFile};
  console.log(
    `$ export CONNECTORCTL_BASE_URL=${started.url} CONNECTORCTL_API_KEY_FILE=${keyFile}\n`,
  );

  const token = await run(env, '', 'token', 'create');
  const activated = await run(
    {...env, CONNECTORCTL_ACTIVATION_TOKEN: token},
    'CONNECTORCTL_ACTIVATION_TOKEN=(the token above) ',
    'connector',
    'activate',
    '--name',
    'quickstart',
    '--json',
  );
  const {id} = JSON.parse(activated);
  await run(env, '', 'connector', 'list');
  await run(env, '', 'connector', 'get', id);
  await run(env, '', 'connector', 'heartbeat', id);
  const after = JSON.parse(await run(env, '', 'connector', 'get', id, '--json'));
  if (after.status !== 'online') fail(`the connector is ${after.status} after its heartbeat`);

  await stopService(service);
  console.log(`Everything works. To continue by hand:

  npm start                     # in one terminal: starts the service, prints its first API key
  export CONNECTORCTL_API_KEY=… # in another: the line that npm start printed
  node bin/run.js token create
  node bin/run.js connector activate
  node bin/run.js connector list
  node bin/run.js --help`);
} catch (error) {
  console.error(`quickstart failed: ${error.message}`);
  process.exitCode = 1;
  if (service?.exitCode === null) service.kill('SIGKILL');
} finally {
  rmSync(directory, {force: true, recursive: true});
}
