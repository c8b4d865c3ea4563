// The main job from end to end, as a user would type it: a service, then each command, and a connector that
// goes offline and comes back. The service is a sandbox, so that no step has to wait ten minutes.
// Stops everything it starts, removes its files, and exits with 1 if anything fails.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const directory = mkdtempSync(join(tmpdir(), 'connectorctl-quickstart-'));
const timeLimit = 30_000;

// The user's settings must not affect the demonstration, and all that it writes is in the directory.
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CONNECTORCTL|XDG)_/.test(name)),
  ),
  HOME: directory,
  TMPDIR: directory,
  QUICKSTART_NODE: process.execPath,
  QUICKSTART_BIN: join(root, 'bin', 'run.js'),
};

/** What still runs when the user interrupts. */
const children = new Set();

function spawned(program, words, options) {
  const child = spawn(program, words, options);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.once(signal, () => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(directory, {force: true, recursive: true, maxRetries: 10});
    process.exit(code);
  });
}

/** Explains a step, shows the command, and starts it as a shell would. */
function start(explanation, command, stdout) {
  console.log(`\n# ${explanation}\n$ ${command}`);
  const line = command
    .replace(/ &$/, '')
    .replaceAll('connectorctl', '"$QUICKSTART_NODE" "$QUICKSTART_BIN"');
  // A signal then reaches the command itself.
  const script = line.includes('|') ? line : `exec ${line}`;
  return spawned('sh', ['-c', script], {cwd: directory, env, stdio: ['ignore', stdout, 'inherit']});
}

/** Runs a command to its end, and returns what it printed. */
async function run(explanation, command) {
  const child = start(explanation, command, 'pipe');
  const timer = setTimeout(() => child.kill(), timeLimit);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    output += text;
  });
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${command} ended with exit code ${code}`);
  return output;
}

/** Starts a command that goes on; `until` shows its lines up to the one that a pattern matches. */
function background(explanation, command) {
  const child = start(explanation, command, 'pipe');
  const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
  return {
    async until(pattern) {
      const timer = setTimeout(() => child.kill(), timeLimit);
      for (;;) {
        const {done, value} = await lines.next();
        if (done) throw new Error(`${command} ended before it printed ${pattern}`);
        console.log(value);
        if (!pattern.test(value)) continue;
        clearTimeout(timer);
        return value;
      }
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function build() {
  process.stdout.write('Building (about 15 s) …');
  const words = ['--import', 'tsx', join(root, 'scripts', 'build.ts')];
  const child = spawned(process.execPath, words, {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error('the build failed');
  console.log(' done.');
}

async function walkThrough() {
  console.log('\n# The commands below use this service, with the key that it wrote to a file.');
  console.log(`$ export CONNECTORCTL_BASE_URL=${env.CONNECTORCTL_BASE_URL}`);
  console.log(`$ export CONNECTORCTL_API_KEY_FILE=${env.CONNECTORCTL_API_KEY_FILE}`);
  const activated = await run(
    'Create an activation token, which works once, and exchange it for a connector and its own key.',
    'connectorctl token create | connectorctl connector activate --name web-1 --token-file - --credentials-file web-1.json',
  );
  const heartbeat = 'connectorctl connector heartbeat --credentials-file web-1.json';
  await run('Send its first heartbeat, with its own key.', heartbeat);
  const [, id] = /^ID: +(\S+)$/m.exec(activated) ?? [];
  await run('Read it, with the key of the organization.', `connectorctl connector get ${id}`);
  const monitor = background(
    'Tell when it stops and when it returns, from now on.',
    'connectorctl connector monitor --initial --every 1s --for 0s &',
  );
  try {
    await run('Let ten minutes pass without a heartbeat.', 'connectorctl sandbox advance 10m');
    await monitor.until(/began offline/);
    await run('Send a heartbeat again.', heartbeat);
    await monitor.until(/ended offline/);
  } finally {
    await monitor.stop();
  }
}

let service;
try {
  await build();
  service = background(
    'Start a sandbox: the service, with a virtual clock. It prints its URL.',
    'connectorctl serve --sandbox --port 0 --bootstrap-key-file api-key 2> serve.log &',
  );
  env.CONNECTORCTL_BASE_URL = await service.until(/^http/);
  env.CONNECTORCTL_API_KEY_FILE = 'api-key';
  await walkThrough();
  console.log(`
Everything works, and nothing but the build is left behind. To continue by hand:

  npm start                      # in one terminal; it prints two export lines
  node bin/run.js token create   # in another, after pasting them
  node bin/run.js --help`);
} catch (error) {
  console.error(`\nquickstart failed: ${error.message}`);
  process.exitCode = 1;
} finally {
  await service?.stop();
  rmSync(directory, {force: true, recursive: true, maxRetries: 10});
}
