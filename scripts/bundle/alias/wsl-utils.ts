// For wsl-utils, of which oclif asks at start whether this is WSL, a question that takes six looks at the
// disk. They are spared where neither the environment nor the kernel's name hints at it. The rest of it
// runs child processes and is loaded when it is used.
import {release} from 'node:os';

const mayBeWsl =
  process.platform === 'linux' &&
  (process.env['WSL_DISTRO_NAME'] !== undefined || /microsoft/i.test(release()));

export const isWsl: boolean = mayBeWsl && require('is-wsl').default;

export async function powerShellPath(): Promise<string> {
  const real = await import('wsl-utils');
  return real.powerShellPath();
}
