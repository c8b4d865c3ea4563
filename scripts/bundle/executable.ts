import {getRawAsset} from 'node:sea';
import {startBundle} from './loader.js';

/** The first file that runs of the executable; the others of the bundle are assets in it. */
startBundle((name) => Buffer.from(getRawAsset(name) as ArrayBuffer).toString('latin1'));
