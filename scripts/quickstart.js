// The main job from end to end, as a user would type it: a service, then each command, and a connector that
// goes offline and comes back. The service is a sandbox, so that no step has to wait ten minutes.
// Stops everything it starts, removes its files, and exits with 1 if anything fails.
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
const keyFile = 'api-key';
const directory = mkdtempSync(join(tmpdir(), 'connectorctl-quickstart-'));
const timeLimit = 30_000;

// The user's settings must not affect the demonstration, and all that it writes is in the directory: the store of
// the sandbox, and the compiled code that the command line caches.
const cleanEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CONNECTORCTL|XDG)_/.test(name)),
  ),
  HOME: directory,
  LOCALAPPDATA: directory,
  TMPDIR: directory,
};

/** What still runs when the user interrupts. */
const children = new Set();

function start(args, env, stderr) {
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: {...cleanEnv, ...env},
    stdio: ['ignore', 'pipe', stderr],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

function removeDirectory() {
  rmSync(directory, {force: true, recursive: true, maxRetries: 10});
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.once(signal, () => {
    for (const child of children) child.kill('SIGKILL');
    removeDirectory();
    process.exit(code);
  });
}

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
    env: cleanEnv,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.add(child);
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  children.delete(child);
  clearInterval(dots);
  if (code !== 0) fail(`the build failed\n${errors}`);
  console.log(` done in ${Math.round((performance.now() - startedAt) / 1000)} s.`);
}

async function startService() {
  const args = `serve --sandbox --port 0 --bootstrap-key-file ${keyFile}`;
  announce('Start a sandbox: the service, with a virtual clock. It prints its URL.', `${args} &`);
  const service = start([bin, ...args.split(' ')], {}, 'pipe');
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
  const child = start([bin, ...words.split(' ')], env, 'pipe');
  const timer = setTimeout(() => child.kill(), timeLimit);
  const [output, notices, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  clearTimeout(timer);
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
  const activated = await run(
    env,
    'Exchange it for a connector and its own key.',
    `connector activate ${name}`,
  );
  const heartbeat = 'connector heartbeat --credentials-file web-1.json';
  await run(env, 'Send its first heartbeat, with its own key.', heartbeat);
  const id = /^ID: +(\S+)$/m.exec(activated)?.[1] ?? fail('connector activate printed no id');
  await run(env, 'Read it, with the key of the organization.', `connector get ${id}`);
  const watch = startWatch(env);
  try {
    await run(
      env,
      'Let ten minutes pass in the sandbox, without a heartbeat.',
      'sandbox advance 10m',
    );
    await watch.until('began');
    await run(env, 'Send a heartbeat again.', `${heartbeat} > heartbeat`);
    await watch.until('ended');
  } finally {
    await watch.stop();
  }
  await requireOperations(env);
}

/** The five operations of the interface, by their requests. */
const operations = [
  /^POST .*\/create-token$/,
  /^POST .*\/activate$/,
  /^POST .*\/heartbeat$/,
  /^GET .*\/connectors$/,
  /^GET .*\/connectors\/[^/]+$/,
];

/** Fails unless the commands above made a request of each operation. */
async function requireOperations(env) {
  const child = start([bin, 'sandbox', 'requests', '--json'], env, 'inherit');
  const requests = JSON.parse(await text(child.stdout)).requests;
  const seen = requests.map(({method, path}) => `${method} ${path}`);
  const missing = operations.filter((operation) => !seen.some((line) => operation.test(line)));
  if (missing.length > 0) fail(`no command showed ${missing.join(', ')}: add one to walkThrough`);
}

/** Runs `monitor`, which tells when a connector stops and when it returns. */
function startWatch(env) {
  const words = 'connector monitor --every 1s --for 0s --initial';
  announce('Watch it from now on.', `${words} &`);
  const child = start([bin, ...words.split(' ')], env, 'inherit');
  const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
  return {
    /** Shows lines until a problem began or ended. */
    async until(change) {
      const timer = setTimeout(() => child.kill(), timeLimit);
      for (;;) {
        const {done, value} = await lines.next();
        if (done) fail(`connector monitor ended before a problem ${change}`);
        console.log(value);
        if (value.includes(change)) return clearTimeout(timer);
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
Everything works (${Math.round((performance.now() - startedAt) / 1000)} s), and nothing but the build is left behind. To continue by hand:

  npm start                      # in one terminal; it prints two export lines
  node bin/run.js token create   # in another, after pasting them
  node bin/run.js --help`);
} catch (error) {
  console.error(`\nquickstart failed: ${error.message}`);
  process.exitCode = 1;
  if (service?.exitCode === null) service.kill('SIGKILL');
} finally {
  removeDirectory();
}
