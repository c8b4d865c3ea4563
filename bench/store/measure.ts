/** One measurement in a separate process, which `bench/store.ts` starts: `measure.ts NAME DIRECTORY`. */
import {measures} from './measures.js';

const [name = '', directory = ''] = process.argv.slice(2);
const measure = measures[name];
if (measure === undefined) throw new Error(`there is no measurement ${name}`);
process.send?.(await measure(directory));
