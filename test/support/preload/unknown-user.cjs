// Loaded before the command line: the user id has no entry in the user database, as in many containers.
const {syncBuiltinESMExports} = require('node:module');
const os = require('node:os');

const {homedir} = os;

function missing(call) {
  throw new Error(`A system error occurred: ${call} returned ENOENT (no such file or directory)`);
}

os.userInfo = () => missing('uv_os_get_passwd');
os.homedir = () => (process.env.HOME === undefined ? missing('uv_os_homedir') : homedir());
syncBuiltinESMExports();
