import {readFileSync} from 'node:fs';
import {startBundle} from './loader.js';

/** Entry point of an installed connectorctl, in the same directory as the other files of the bundle. */
startBundle((name) => readFileSync(`${__dirname}/${name}`, 'latin1'));
