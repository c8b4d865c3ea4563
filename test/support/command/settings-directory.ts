import {readFileSync} from 'node:fs';
import {runCommand} from './run-command.js';

/**
 * Commands whose settings file is in a temporary directory.
 *
 * @param at a path in that directory
 */
export function settingsDirectory(at: (...names: string[]) => string) {
  const path = () => at('connectorctl', 'settings.json');
  return {
    path,
    settings: () => JSON.parse(readFileSync(path(), 'utf8')),
    /** @param line the words of the command, separated by spaces */
    run: (line: string, env: Readonly<Record<string, string>> = {}) =>
      runCommand(line.split(' '), {XDG_CONFIG_HOME: at(), ...env}),
  };
}
