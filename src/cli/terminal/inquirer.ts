// The prompts that are used, and no other: the library's editor brings half a megabyte of encodings.
export {input, password} from '@inquirer/prompts';
