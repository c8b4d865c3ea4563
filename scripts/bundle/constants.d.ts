/** Names this build; put in by the build. */
declare const BUILD: string;
/** The ids of all commands, `connector:get`; put in by the build. */
declare const COMMANDS: readonly string[];
