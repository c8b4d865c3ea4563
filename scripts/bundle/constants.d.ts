/** Identifies this build. The build defines it. */
declare const BUILD: string;
/** The commit that this build was made from, and its time. The build defines it. */
declare const SOURCE: import('../../src/cli/version.js').Source;
/** The ids of all commands, such as `connector:get`. The build defines it. */
declare const COMMANDS: readonly string[];
