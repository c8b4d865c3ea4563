// The main job from end to end, as a user would type it: a service on a new store, then each command, and a
// connector that goes offline and comes back. Stops everything it starts, removes its files, and exits with 1
// if anything fails.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(root, 'bin', 'run.js');
const keyFile = 'store/first-api-key';
const directory = mkdtempSync(join(tmpdir(), 'connectorctl-quickstart-'));
const timeLimit = 30_000;

/** Seconds between heartbeats: the least, because a connector is offline after ten of them. */
const interval = 1;

// Settings in the user's environment must not affect the demonstration.
const cleanEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('CONNECTORCTL_')),
);

function fail(message) {
  throw new Error(message);
}

/** Explains a step, and shows the command as it would be typed. */
function announce(explanation, command) {
  console.log(`\n# ${explanation}\n$ connectorctl ${command}`);
}

async function build() {
  process.stdout.write('Building (about 15 s) …');
  const startedAt = performance.now();
  const dots = setInterval(() => process.stdout.write('.'), 1000);
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'scripts', 'build.ts')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  clearInterval(dots);
  if (code !== 0) fail(`the build failed\n${errors}`);
  console.log(` done in ${Math.round((performance.now() - startedAt) / 1000)} s.`);
}

async function startService() {
  const args = `serve --port 0 --store store --heartbeat-interval ${interval}s`;
  announce('Start the reference service on a new store; it prints its URL.', `${args} &`);
  const service = spawn(process.execPath, [bin, ...args.split(' ')], {
    cwd: directory,
    env: cleanEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const notices = text(service.stderr);
  const lines = createInterface({input: service.stdout});
  const [url] = await Promise.race([
    once(lines, 'line', {signal: AbortSignal.timeout(timeLimit)}),
    once(service, 'exit').then(async ([code]) =>
      fail(`serve ended with exit code ${code}\n${await notices}`),
    ),
  ]);
  console.log(url);
  return {service, url};
}

async function stopService(service) {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  const kill = setTimeout(() => service.kill('SIGKILL'), timeLimit);
  const [code] = await ended;
  clearTimeout(kill);
  if (code !== 0) fail(`serve did not stop cleanly (exit code ${code})`);
}

/** Runs a command as a child process in the temporary directory, shows it and its output, and returns its stdout. */
async function run(env, explanation, command) {
  announce(explanation, command);
  const [words, redirected] = command.split(' > ');
  const child = spawn(process.execPath, [bin, ...words.split(' ')], {
    cwd: directory,
    env: {...cleanEnv, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeLimit,
  });
  const [output, notices, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) fail(`connectorctl ${words} ended with exit code ${code}\n${notices}`);
  if (redirected === undefined) process.stdout.write(output);
  else writeFileSync(join(directory, redirected), output);
  return output;
}

async function walkThrough(url) {
  const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY_FILE: keyFile};
  console.log('\n# The commands below use this service, with the key that it wrote to a file.');
  console.log(`$ export CONNECTORCTL_BASE_URL=${url}`);
  console.log(`$ export CONNECTORCTL_API_KEY_FILE=${keyFile}`);
  await run(env, 'Create an activation token, which works once.', 'token create > token');
  const name = '--name web-1 --token-file token --credentials-file web-1.json';
  await run(env, 'Exchange it for a connector and its own key.', `connector activate ${name}`);
  const heartbeat = 'connector heartbeat --credentials-file web-1.json';
  await run(env, 'Send its first heartbeat, with its own key.', heartbeat);
  const watch = startWatch(env);
  try {
    await watch.until('offline');
  } finally {
    await watch.stop();
  }
  await run(env, 'It sends a heartbeat again.', heartbeat);
  const back = await run(env, 'It is back online.', 'connector list');
  if (back.includes('offline')) fail('the connector is offline after its heartbeat');
}

/** Runs `list --watch`, which reports each change of a status. */
function startWatch(env) {
  announce(
    'Watch it: online now, and offline after 10 s without a heartbeat.',
    'connector list --watch &',
  );
  const child = spawn(process.execPath, [bin, 'connector', 'list', '--watch'], {
    cwd: directory,
    env: {...cleanEnv, ...env},
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: timeLimit,
  });
  const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
  return {
    async until(status) {
      for (;;) {
        const {done, value} = await lines.next();
        if (done) fail(`connector list --watch ended before the connector was ${status}`);
        console.log(value);
        if (value.endsWith(status)) return;
      }
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

let service;
try {
  await build();
  const startedAt = performance.now();
  const started = await startService();
  service = started.service;
  await walkThrough(started.url);
  await stopService(service);
  console.log(`
Everything works (${Math.round((performance.now() - startedAt) / 1000)} s), and nothing is left behind. To continue by hand:

  npm start                      # in one terminal; it prints two export lines
  node bin/run.js token create   # in another, after pasting them
  node bin/run.js --help`);
} catch (error) {
  console.error(`\nquickstart failed: ${error.message}`);
  process.exitCode = 1;
  if (service?.exitCode === null) service.kill('SIGKILL');
} finally {
  rmSync(directory, {force: true, recursive: true});
}
