// Replaces oclif's file helpers. oclif reads one small optional file at start, a theme. With promises that
// takes four trips to the thread pool and loads `node:fs/promises`.
import {existsSync, readFileSync, statSync} from 'node:fs';

export {existsSync};

export async function readJson(path: string): Promise<unknown> {
  return JSON.parse(readFileSync(path, 'utf8'));
}

export async function safeReadJson(path: string): Promise<unknown> {
  // Cheaper than an error, and the usual case.
  if (!existsSync(path)) return undefined;
  try {
    return await readJson(path);
  } catch {
    return undefined;
  }
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
