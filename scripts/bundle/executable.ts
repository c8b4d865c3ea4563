import {getRawAsset} from 'node:sea';
import {startBundle} from './loader.js';

/** Entry point of the executable, which contains the other files of the bundle as assets. */
startBundle((name) => Buffer.from(getRawAsset(name) as ArrayBuffer).toString('latin1'));
