// Records the picture in docs/media from a real run: a sandbox, a shell in a terminal, and the built command.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {setTimeout as pause} from 'node:timers/promises';
import {root} from './build/root.js';
import {type Frame, Recording, withoutPauses} from './demo/recording.js';
import {animation, themes} from './demo/svg.js';

const bin = join(root, 'bin', 'run.js');
const media = join(root, 'docs', 'media');
const directory = mkdtempSync(join(tmpdir(), 'connectorctl-demo-'));

/** Longest pauses in the picture, in milliseconds: the real ones take up to half a minute. */
const longestPause = 1500;
const longestPauseWatching = 500;
const lastFrame = 4000;

/** Most characters of a picture: a page that shows it must stay light. */
const sizeLimit = 300 * 1024;

// The default port, so that no command has to name it.
const serve = [
  ...['serve', '--sandbox', '--seed', '7', '--clock', 'running', '--heartbeat-interval', '3s'],
  ...['--bootstrap-key-file', 'key', '--log-level', 'warn'],
];
const env = {
  PATH: `${directory}:${process.env['PATH']}`,
  // No directory of this machine may be in a picture.
  HOME: '/home/you',
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  PS1: '$ ',
  BASH_SILENCE_DEPRECATION_WARNING: '1',
  CONNECTORCTL_API_KEY_FILE: 'key',
};

/** Types a command word by word, as a person would, and waits until its output is complete. */
async function enter(recording: Recording, command: string, shown: RegExp): Promise<void> {
  for (const word of command.split(/(?<= )/)) {
    recording.type(word);
    await pause(150);
  }
  await pause(300);
  recording.type('\r');
  await recording.until(shown);
  await pause(longestPause);
}

async function recordDemo(): Promise<void> {
  const size = {
    columns: 80,
    rows: 24,
    title: 'A connector is activated, is online, and goes offline',
  };
  const recording = new Recording(size.columns, size.rows, {cwd: directory, env});
  try {
    await recording.until(/^\$/);
    await enter(recording, 'connectorctl token create', /connector activate\n\$$/);
    const [token = ''] = /^act_[\w-]+$/m.exec(recording.text()) ?? [];
    const activate = 'connectorctl connector activate --credentials-file web-1.json';
    await enter(recording, activate, /Activation token/);
    await enter(recording, token, /Name of the connector/);
    await enter(recording, 'web-1', /--credentials-file web-1\.json\n\$$/);
    const heartbeat = 'connectorctl connector heartbeat --credentials-file web-1.json';
    await enter(recording, heartbeat, /Next heartbeat.*\n\$$/);
    await enter(recording, 'connectorctl connector list --watch', /web-1 +online/);
    await recording.until(/web-1 +offline/, 60_000);
    await pause(longestPause);
    recording.type('\x03');
    await recording.until(/\$$/);
  } finally {
    await recording.close();
  }
  // A picture that begins with an empty prompt shows nothing at first.
  const typed = recording.frames.findIndex((frame) => shows(frame, 'token create'));
  const watched = recording.frames.findLastIndex((frame) => shows(frame, 'offline'));
  const frames = withoutPauses(recording.frames.slice(typed, watched + 1), (frame) =>
    shows(frame, 'Ctrl-C ends') ? longestPauseWatching : longestPause,
  );
  for (const theme of ['light', 'dark'] as const) {
    const path = join(media, `demo-${theme}.svg`);
    const text = animation(frames, size, themes[theme], lastFrame);
    if (text.includes(directory) || text.includes(root))
      throw new Error(`${path} names a directory`);
    if (text.length > sizeLimit) throw new Error(`${path} is too large`);
    writeFileSync(path, text);
    console.log(`${path}: ${Math.ceil(text.length / 1024)} KiB`);
  }
}

function shows({lines}: Frame, words: string): boolean {
  return lines.some((pieces) => pieces.some(({text}) => text.includes(words)));
}

mkdirSync(media, {recursive: true});
const command = join(directory, 'connectorctl');
writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
chmodSync(command, 0o755);
const service = spawn(command, serve, {cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit']});
try {
  await Promise.race([
    once(createInterface({input: service.stdout}), 'line'),
    once(service, 'exit').then(() => {
      throw new Error('the sandbox did not start');
    }),
  ]);
  await recordDemo();
} finally {
  service.kill('SIGTERM');
  rmSync(directory, {force: true, recursive: true});
}
