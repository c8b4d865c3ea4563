// Prints the packages of Debian that the tests of this directory need and that are missing here, one a line.
import {missingDebianPackages} from './installed.js';

for (const name of missingDebianPackages()) process.stdout.write(`${name}\n`);
