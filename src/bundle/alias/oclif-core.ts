// For `@oclif/core`, whose index loads all of the framework, and semver to compare Node's version.
// The same modules by the paths that the package exports, as far as commands and plugins use them.
export * as Args from '@oclif/core/args';
export {Command} from '@oclif/core/command';
export * as Errors from '@oclif/core/errors';
export * as Flags from '@oclif/core/flags';
export {loadHelpClass} from '@oclif/core/help';
export {run} from '@oclif/core/run';
