import type {ConnectorStatus} from '../contract/index.js';

type Paint = (text: string) => string;

/** Colours by what they say. Each puts SGR sequences around a text, or nothing. */
export interface Palette {
  readonly success: Paint;
  readonly warning: Paint;
  readonly error: Paint;
  readonly muted: Paint;
}

/** How many colours the output takes: none, 16, 256 or all of them. */
export type ColourLevel = 0 | 1 | 2 | 3;

const unpainted: Paint = (text) => text;

/** The palette of an output without colour. */
export const noColours: Palette = {
  success: unpainted,
  warning: unpainted,
  error: unpainted,
  muted: unpainted,
};

/** The palette for an output; chalk is loaded only where there is colour. */
export async function paletteFor(level: ColourLevel): Promise<Palette> {
  if (level === 0) return noColours;
  const {Chalk} = await import('chalk');
  const chalk = new Chalk({level});
  return {success: chalk.green, warning: chalk.yellow, error: chalk.red, muted: chalk.dim};
}

const statusColours: Record<ConnectorStatus, keyof Palette> = {
  online: 'success',
  stale: 'warning',
  offline: 'error',
  never: 'muted',
  revoked: 'muted',
};
const colourOfStatus = new Map<string, keyof Palette>(Object.entries(statusColours));

/** Paints a status of the reference service; another service's own words stay as they are. */
export function paintStatus(palette: Palette, status: string | undefined, shown: string): string {
  const colour = status === undefined ? undefined : colourOfStatus.get(status);
  return colour === undefined ? shown : palette[colour](shown);
}
