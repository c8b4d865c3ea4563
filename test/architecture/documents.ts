import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {root} from '../support/sources.js';

const below = (directory: string) =>
  readdirSync(join(root, directory), {recursive: true, encoding: 'utf8'}).map(
    (name) => `${directory}/${name}`,
  );

/** Every Markdown page of the project, by its path from the root. */
export const documents = [...readdirSync(root), ...below('docs'), ...below('contrib')]
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({path, text: readFileSync(join(root, path), 'utf8')}));
