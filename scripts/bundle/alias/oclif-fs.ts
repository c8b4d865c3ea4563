// Replaces oclif's file helpers, which load `node:fs/promises`. At start oclif would read one optional file, a theme
// in the user's configuration: this program has none, and reads only files of this user that it needs.
import {existsSync, readFileSync, statSync} from 'node:fs';

export {existsSync};

export async function readJson(path: string): Promise<unknown> {
  return JSON.parse(readFileSync(path, 'utf8'));
}

export async function safeReadJson(): Promise<undefined> {
  return undefined;
}

export async function dirExists(path: string): Promise<string> {
  const stats = statSync(path, {throwIfNoEntry: false});
  if (stats === undefined) throw new Error(`No directory found at ${path}`);
  if (!stats.isDirectory()) throw new Error(`${path} exists but is not a directory`);
  return path;
}

export async function fileExists(path: string): Promise<string> {
  const stats = statSync(path, {throwIfNoEntry: false});
  if (stats === undefined) throw new Error(`No file found at ${path}`);
  if (!stats.isFile()) throw new Error(`${path} exists but is not a file`);
  return path;
}
