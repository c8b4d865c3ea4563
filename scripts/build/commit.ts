import {spawnSync} from 'node:child_process';

import type {Source} from '../../src/cli/version.js';

const unknown: Source = {commit: null, date: null};

/**
 * The commit in a directory. Where Git is not, as in the build of an image, SOURCE_COMMIT and SOURCE_DATE_EPOCH
 * (seconds, reproducible-builds.org) say it. Files changed since the commit make it unknown, and so does a
 * directory below the root of a clone, which may be that of another project.
 */
export function readSource(directory: string, environment: NodeJS.ProcessEnv): Source {
  const {SOURCE_COMMIT, SOURCE_DATE_EPOCH} = environment;
  if (SOURCE_COMMIT && SOURCE_DATE_EPOCH) return describe(SOURCE_COMMIT, SOURCE_DATE_EPOCH);
  const git = (...words: readonly string[]) => {
    const {status, stdout} = spawnSync('git', words, {cwd: directory, encoding: 'utf8'});
    return status === 0 ? stdout.trim() : undefined;
  };
  const isClean = git('rev-parse', '--show-prefix') === '' && git('status', '--porcelain') === '';
  const [hash, seconds] =
    (isClean ? git('log', '-1', '--format=%H %ct') : undefined)?.split(' ') ?? [];
  return hash && seconds ? describe(hash, seconds) : unknown;
}

/** @throws if the commit or the seconds are none */
function describe(commit: string, seconds: string): Source {
  if (!/^[\da-f]{40,64}$/.test(commit)) throw new Error(`${commit} is not the hash of a commit`);
  const date = new Date(Number(seconds) * 1000).toISOString().replace(/\.000Z$/, 'Z');
  return {commit, date};
}
