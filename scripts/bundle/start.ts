import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {startBundle} from './loader.js';

/** The first file that runs of an installed connectorctl; the others of the bundle lie beside it. */
startBundle((name) => readFileSync(join(__dirname, name), 'latin1'));
