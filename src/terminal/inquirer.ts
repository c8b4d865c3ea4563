// Only these prompts, as a separate file of the bundle: the library's editor prompt adds half a megabyte.
export {confirm, input, password} from '@inquirer/prompts';
