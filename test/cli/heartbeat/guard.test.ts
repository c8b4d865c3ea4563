import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {expect} from 'chai';
import {root} from '../../support/sources.js';

/** A process that guards the processes of its arguments, and is told that the second one has ended. */
const guarding = `
import {EventEmitter} from 'node:events';
import {Guard} from ${JSON.stringify(join(root, 'src/cli/heartbeat/guard.ts'))};
const [running, ended] = process.argv.slice(1).map(Number);
const guard = new Guard(() => process.exit(1));
const child = new EventEmitter();
guard.watch(child, ended);
guard.watch(new EventEmitter(), running);
child.emit('exit', 0, null);
setInterval(() => {}, 1e6);
console.log('guarding');`;

describe('the guard', () => {
  const started: ChildProcess[] = [];
  const start = (argv: readonly string[]) => {
    const child = spawn(process.execPath, argv, {stdio: ['ignore', 'pipe', 'inherit']});
    started.push(child);
    return child;
  };
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });

  it('kills what runs when its process is killed, and nothing that has the id of what ended', async () => {
    const idle = ['-e', 'setInterval(() => {}, 1e6)'];
    const [running, stranger] = [start(idle), start(idle)];
    const end = once(stranger, 'exit');
    const ids = [running, stranger].map(({pid}) => String(pid));
    const guard = start(['--import=tsx', '--input-type=module', '-e', guarding, ...ids]);
    await once(guard.stdout!, 'data');
    guard.kill('SIGKILL');
    expect(await once(running, 'exit')).to.deep.equal([null, 'SIGKILL']);
    stranger.kill('SIGTERM');
    expect(await end).to.deep.equal([null, 'SIGTERM']);
  });
});
