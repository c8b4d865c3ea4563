// Loaded into a child process before the command line. Reports on stderr which scripts were given
// compiled code, and whether V8 accepted it.
const vm = require('node:vm');
const {basename} = require('node:path');
const {writeSync} = require('node:fs');

vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    const took = options.cachedData === undefined ? 'none' : `${!this.cachedDataRejected}`;
    writeSync(2, `compiled ${basename(options.filename)} ${took}\n`);
  }
};
