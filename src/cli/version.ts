import {jsonText} from '../terminal/formats/json.js';

/** The commit of a build and its time; null if the build does not match exactly one commit. */
export interface Source {
  /** The full hash. */
  readonly commit: string | null;
  /** RFC 3339 in UTC, without fractions of a second. */
  readonly date: string | null;
}

/** The running bundle, as its loader describes it. */
export interface RunningBuild {
  /** Identifies the build by its content. */
  readonly id: string;
  readonly source: Source;
}

/** A module variable, because the loader of the bundle sets it before there is a run of the command line. */
let running: RunningBuild | undefined;

/** Called once at the start of a bundle. */
export function setRunningBuild(build: RunningBuild): void {
  running = build;
}

/**
 * The result of `--version`, `-v` or `-V`, perhaps with `--json`: the program and its environment for a bug report;
 * undefined for a command line that begins with another word.
 */
export function versionText(
  [first = '', ...others]: readonly string[],
  version: unknown,
): string | undefined {
  if (!['--version', '-v', '-V'].includes(first)) return undefined;
  const [node, platform] = [process.version, `${process.platform}-${process.arch}`];
  if (!others.includes('--json')) return `connectorctl/${version} ${platform} node-${node}\n`;
  const info = {
    version: String(version),
    commit: running?.source.commit ?? null,
    date: running?.source.date ?? null,
    build: running?.id ?? null,
    node,
    platform,
  };
  return `${jsonText(info)}\n`;
}
