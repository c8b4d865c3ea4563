import {readdirSync, readlinkSync} from 'node:fs';

/** The highest descriptor that is passed on; Node needs an entry for each one below it. */
const highest = 1023;

let inherited: readonly number[] = [];

/**
 * Notes the descriptors above 2 that this process was started with, for a command that it runs: Node closes them in
 * every process that it starts. Called before the first use of a stream, which may open further ones.
 */
export function noteInheritedDescriptors(): void {
  if (process.platform !== 'linux') return;
  const directory = '/proc/self/fd';
  const open = new Map<number, string>();
  for (const name of readdirSync(directory)) {
    try {
      open.set(Number(name), readlinkSync(`${directory}/${name}`));
    } catch {
      // The descriptor that has just read the directory.
    }
  }
  inherited = inheritedOf(open);
}

/**
 * The descriptors above 2 that Node has not opened itself. Its first one is an epoll instance, so all below are
 * inherited; of the others not its pipes, whose two ends are both here.
 *
 * @param open what each descriptor refers to, as in /proc/PID/fd
 */
export function inheritedOf(open: ReadonlyMap<number, string>): readonly number[] {
  const polling = [...open].filter(([, target]) => target === 'anon_inode:[eventpoll]');
  const first = Math.min(...polling.map(([descriptor]) => descriptor));
  const later = [...open].filter(([descriptor]) => descriptor > first);
  const isOwn = (target: string) =>
    target.startsWith('anon_inode:') ||
    (target.startsWith('pipe:') && later.filter(([, other]) => other === target).length > 1);
  return [...open]
    .filter(([descriptor, target]) => descriptor < first || !isOwn(target))
    .map(([descriptor]) => descriptor)
    .filter((descriptor) => descriptor > 2 && descriptor <= highest);
}

/** The `stdio` of a process with the stdin, stdout and stderr of this one, and with its inherited descriptors. */
export function inheritingStdio(): ('ignore' | number)[] {
  const all = new Set([0, 1, 2, ...inherited]);
  return Array.from({length: Math.max(...all) + 1}, (_, at) => (all.has(at) ? at : 'ignore'));
}
