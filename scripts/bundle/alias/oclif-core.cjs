// Replaces `@oclif/core`, whose index loads the whole framework, and semver to compare Node's version.
// Here each member loads its module on first use: `--version` loads no parser. The members are those
// that our commands and the plugins use, from modules that the package exports.
module.exports = {
  get Args() {
    return require('@oclif/core/args');
  },
  get Command() {
    return require('@oclif/core/command').Command;
  },
  get CommandHelp() {
    return require('@oclif/core/help').CommandHelp;
  },
  get Errors() {
    return require('@oclif/core/errors');
  },
  get Flags() {
    return require('@oclif/core/flags');
  },
  get Help() {
    return require('@oclif/core/help').Help;
  },
  get loadHelpClass() {
    return require('@oclif/core/help').loadHelpClass;
  },
  get run() {
    return require('@oclif/core/run').run;
  },
};
