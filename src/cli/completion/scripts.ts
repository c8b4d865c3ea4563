import {readFileSync} from 'node:fs';

const read = (shell: string) =>
  readFileSync(new URL(`../../../completions/connectorctl.${shell}`, import.meta.url), 'utf8');

/**
 * The completion script of each shell. All call the hidden command `__complete`, so they match the
 * installed version; they treat its output as text and never evaluate it. Its stdin is empty, so nothing
 * prompts, and its stderr is discarded, so no error disturbs the command line.
 */
export const completionScripts = {bash: read('bash'), zsh: read('zsh'), fish: read('fish')};
