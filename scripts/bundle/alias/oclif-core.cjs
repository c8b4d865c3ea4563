// For `@oclif/core`, whose index loads all of the framework, and semver to compare Node's version. Here
// each member loads its module when it is read, so that `--version` loads no parser. The modules are
// those that the package exports, as far as commands and plugins use them.
module.exports = {
  get Args() {
    return require('@oclif/core/args');
  },
  get Command() {
    return require('@oclif/core/command').Command;
  },
  get Errors() {
    return require('@oclif/core/errors');
  },
  get Flags() {
    return require('@oclif/core/flags');
  },
  get loadHelpClass() {
    return require('@oclif/core/help').loadHelpClass;
  },
  get run() {
    return require('@oclif/core/run').run;
  },
};
