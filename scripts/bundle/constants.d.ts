/** Identifies this build. The build defines it. */
declare const BUILD: string;
/** The ids of all commands, such as `connector:get`. The build defines it. */
declare const COMMANDS: readonly string[];
