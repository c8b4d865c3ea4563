import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {startBundle} from './loader.js';

/** Entry point of an installed connectorctl, in the same directory as the other files of the bundle. */
startBundle((name) => readFileSync(join(__dirname, name), 'latin1'));
