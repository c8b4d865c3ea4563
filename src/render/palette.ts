import type {ConnectorStatus} from '../contract/index.js';

type Style = (text: string) => string;

/** Colours by their meaning. Each puts SGR sequences around a text, or nothing. */
export interface Palette {
  readonly success: Style;
  readonly warning: Style;
  readonly error: Style;
  readonly muted: Style;
}

/** The colours that an output supports: none, 16, 256 or all of them. */
export type ColourLevel = 0 | 1 | 2 | 3;

const unstyled: Style = (text) => text;

/** The palette of an output without colour. */
export const noColours: Palette = {
  success: unstyled,
  warning: unstyled,
  error: unstyled,
  muted: unstyled,
};

/** The palette for an output. It loads chalk only if the output has colour. */
export async function paletteFor(level: ColourLevel): Promise<Palette> {
  if (level === 0) return noColours;
  const {Chalk} = await import('chalk');
  const chalk = new Chalk({level});
  return {success: chalk.green, warning: chalk.yellow, error: chalk.red, muted: chalk.dim};
}

const statusStyles: Record<ConnectorStatus, keyof Palette> = {
  online: 'success',
  stale: 'warning',
  offline: 'error',
  never: 'muted',
  revoked: 'muted',
};
const styleOfStatus = new Map<string, keyof Palette>(Object.entries(statusStyles));

/** Colours a status of the reference service; the words of other services are unchanged. */
export function styleStatus(palette: Palette, status: string | undefined, shown: string): string {
  const style = status === undefined ? undefined : styleOfStatus.get(status);
  return style === undefined ? shown : palette[style](shown);
}
