// For wsl-utils, of which oclif asks at start whether this is WSL. The rest of it runs child processes
// and is loaded when it is used.
export {default as isWsl} from 'is-wsl';

export async function powerShellPath(): Promise<string> {
  const real = await import('wsl-utils');
  return real.powerShellPath();
}
