import type {ConnectorStatus} from '../contract/index.js';

type Style = (text: string) => string;

/** Colors by their meaning. Each puts SGR sequences around a text, or nothing. */
export interface Palette {
  readonly success: Style;
  readonly warning: Style;
  readonly error: Style;
  readonly muted: Style;
}

const unstyled: Style = (text) => text;

/** The palette of an output without color. */
export const noColors: Palette = {
  success: unstyled,
  warning: unstyled,
  error: unstyled,
  muted: unstyled,
};

/** The palette of a terminal with colors. */
export async function sixteenColors(): Promise<Palette> {
  const {Chalk} = await import('chalk');
  const chalk = new Chalk({level: 1});
  return {success: chalk.green, warning: chalk.yellow, error: chalk.red, muted: chalk.dim};
}

const statusStyles: Readonly<Record<ConnectorStatus, keyof Palette>> = {
  online: 'success',
  stale: 'warning',
  offline: 'error',
  never: 'muted',
  revoked: 'muted',
};

/** Colors a status of the reference service; other statuses are unchanged. */
export function styleStatus(palette: Palette, status = '', shown: string): string {
  if (!Object.hasOwn(statusStyles, status)) return shown;
  return palette[statusStyles[status as ConnectorStatus]](shown);
}
