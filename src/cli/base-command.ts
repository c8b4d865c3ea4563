import {Command} from '@oclif/core';
import {jsonText} from '../render/json.js';
import {type ColourLevel, paletteFor} from '../render/palette.js';
import {type OutputFormat, type Renderer, rendererFor} from '../render/renderer.js';
import {globalFlags} from './flags.js';
import {jsonRequested} from './output-mode.js';
import {ProfileStore} from './profiles.js';
import {say, writeOut} from './streams.js';
import {colourLevel, terminalWidth} from './terminal.js';

/**
 * What every command shares. `Result` is the JSON that `--json` prints: a command returns it, and
 * writes its human form through `print`. Errors are thrown and reported in one place, `main.ts`.
 */
export abstract class BaseCommand<Result> extends Command {
  static override baseFlags = globalFlags;
  static override enableJsonFlag = true;

  abstract override run(): Promise<Result>;

  override jsonEnabled(): boolean {
    return jsonRequested(this.argv);
  }

  override async catch(error: Error): Promise<never> {
    throw error;
  }

  override logJson(json: unknown): void {
    process.stdout.write(`${jsonText(json)}\n`);
  }

  /** The named services of this user. */
  protected get profiles(): ProfileStore {
    return new ProfileStore(this.config.configDir);
  }

  /** Writes the result for people; under `--json` the returned value is written instead. */
  protected async print(text: string): Promise<void> {
    if (!this.jsonEnabled()) await writeOut(text);
  }

  /** Writes a line about the result to stderr; under `--json` there is no talk. */
  protected say(line: string): void {
    if (!this.jsonEnabled()) say(line);
  }

  /** Writes connectors in a format, for this terminal; `--json` beats the format. */
  protected async renderer(format: OutputFormat = 'table'): Promise<Renderer> {
    return rendererFor(this.jsonEnabled() ? 'json' : format, {
      width: terminalWidth(),
      palette: await paletteFor(this.colourLevel('stdout')),
      now: Date.now(),
    });
  }

  /** How many colours stdout or stderr takes. */
  protected colourLevel(stream: 'stdout' | 'stderr'): ColourLevel {
    return colourLevel(process[stream], this.argv.includes('--no-color'));
  }
}
