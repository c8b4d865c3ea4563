import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {delimiter} from 'node:path';
import {expect} from 'chai';
import {completionScripts} from '../../../src/cli/completion/scripts.js';
import {installProgram} from '../../support/process/child.js';
import {openProgram, type TerminalSession} from '../../support/process/terminal.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {isThere} from '../installed.js';

type Shell = keyof typeof completionScripts;

/** How to start each shell without the user's settings, and how to enable completion in it. */
const start: Readonly<Record<Shell, {readonly argv: readonly string[]; readonly setup: string}>> = {
  bash: {
    argv: ['bash', '--norc', '--noprofile'],
    setup: 'PS1="\\$ "; eval "$(connectorctl completion bash)"',
  },
  zsh: {
    argv: ['zsh', '-f'],
    setup:
      'PROMPT="\\$ "; autoload -Uz compinit; compinit -u -D; eval "$(connectorctl completion zsh)"',
  },
  fish: {
    argv: ['fish', '--no-config'],
    setup: 'function fish_prompt; echo "\\$ "; end; connectorctl completion fish | source',
  },
};

const installed = (Object.keys(completionScripts) as Shell[]).filter(isThere);

describe('shell completion in a terminal', function () {
  // Each test starts a shell, which starts the command line on every Tab.
  this.timeout(180_000);
  const at = temporaryDirectory();
  const fleet = [
    {id: 'con_1', name: 'web one', status: 'online'},
    {id: 'con_2', name: "it's $(touch evil) `touch evil` \x1b]0;evil\x07", status: 'never'},
    {id: 'web_9', name: 'web nine'},
    {id: 'door:7', name: 'front door'},
    {id: 'a:b:c', name: 'colons'},
    {id: 'a:b:d', name: 'more colons'},
    {id: '$(touch evil)', name: 'evil'},
    {id: 'con_3`touch evil`', name: 'evil'},
    {id: 'con_4\ntouch evil', name: 'evil'},
  ];

  /** Installs a `connectorctl` that also records its arguments, one per line, with `:` at the end. */
  function install(): void {
    mkdirSync(at('bin'));
    installProgram(
      at('bin'),
      `[ "$1" = __complete ] || [ "$1" = completion ] || { printf '%s\\n' "$@" : > "$HOME/words"; exit; }\n`,
    );
  }

  async function open(shell: Shell, more: Readonly<Record<string, string>> = {}) {
    install();
    const {url} = await thirdPartyService(json(fleet));
    const {argv, setup} = start[shell];
    // Runs in the directory of the test, where the file names are known.
    const command = ['sh', '-c', 'cd "$HOME" && exec "$@"', 'sh', ...argv];
    const terminal = openProgram(command, {
      columns: 120,
      env: {
        PATH: [at('bin'), process.env['PATH']].join(delimiter),
        HOME: at(),
        LANG: 'C.UTF-8',
        CONNECTORCTL_BASE_URL: url,
        CONNECTORCTL_API_KEY: 'sesame',
        CONNECTORCTL_COMPLETION_TIMEOUT: '20s',
        ...more,
      },
    });
    terminal.type(`${setup}; echo re''ady\r`);
    await terminal.until(/^ready$/m);
    return terminal;
  }

  /** Runs the current line, and returns the arguments that the command received. */
  async function enter(terminal: TerminalSession): Promise<string[]> {
    terminal.type('; echo do""ne\r');
    await terminal.until(/^done$/m);
    return readFileSync(at('words'), 'utf8').split('\n').slice(0, -2);
  }

  for (const shell of installed) {
    describe(`with ${shell}`, () => {
      const completed: readonly (readonly [typed: string, line: string])[] = [
        ['conn\tli\t', 'connector list'],
        ['connector list --st\tonl\t', 'connector list --status online'],
        ['connector list --sort la\t', 'connector list --sort last_heartbeat_at'],
        ['connector get we\t', 'connector get web_9'],
        ['connector heartbeat door:\t', 'connector heartbeat door:7'],
        ['connector get a\tc\t', 'connector get a:b:c'],
        ['connector activate --token-f\tmy\t', 'connector activate --token-file my_file'],
        ['profile use pr\t', 'profile use prod'],
        ['connector list --api-key-file=my\t', 'connector list --api-key-file=my_file'],
      ];
      for (const [typed, line] of completed) {
        it(`completes ${JSON.stringify(typed)} to ${line}`, async () => {
          writeFileSync(at('my file'), 'key');
          mkdirSync(at('.config', 'connectorctl'), {recursive: true});
          const profiles = {prod: {base_url: 'https://connectors.example'}};
          const settings = JSON.stringify({version: 1, current: null, profiles});
          writeFileSync(at('.config', 'connectorctl', 'settings.json'), settings);
          const terminal = await open(shell);
          terminal.type(`connectorctl ${typed}`);
          const words = line.split(' ').map((word) => word.replace('my_file', 'my file'));
          expect(await enter(terminal)).to.deep.equal(words);
        });
      }

      it('lists connectors without evaluating their names', async () => {
        const terminal = await open(shell);
        terminal.type('connectorctl connector get con_\t\t');
        await terminal.until(/con_2.*it's \$\(touch evil\)/);
        const screen = terminal.screen().join('\n');
        expect(screen).to.match(/con_1.*web one \(online\)/);
        expect(screen).not.to.match(/con_[34]/);
        expect(terminal.written()).not.to.include('\x1b]0;evil');
        expect(existsSync(at('evil'))).to.equal(false);
      });

      it('leaves the line unchanged when there are no candidates', async () => {
        const terminal = await open(shell, {CONNECTORCTL_BASE_URL: 'http://127.0.0.1:1'});
        terminal.type('connectorctl connector get x\ty');
        expect(await enter(terminal)).to.deep.equal(['connector', 'get', 'xy']);
        expect(terminal.screen().join('\n')).not.to.match(/error|cannot/i);
      });
    });
  }
});
