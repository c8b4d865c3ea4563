// Replaces wsl-utils, which reads six files at start to detect WSL for oclif. Here it does so only if the
// environment or the kernel's name suggests WSL. The rest of it runs child processes and is loaded on
// first use.
import {release} from 'node:os';

const mayBeWsl =
  process.platform === 'linux' &&
  (process.env['WSL_DISTRO_NAME'] !== undefined || /microsoft/i.test(release()));

export const isWsl: boolean = mayBeWsl && require('is-wsl').default;

export async function powerShellPath(): Promise<string> {
  const real = await import('wsl-utils');
  return real.powerShellPath();
}
