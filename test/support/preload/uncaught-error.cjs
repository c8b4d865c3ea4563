// Loaded into a child process before the command line. Throws outside of any command when it connects.
const {Socket} = require('node:net');
const {connect} = Socket.prototype;

Socket.prototype.connect = function (...args) {
  setImmediate(() => {
    throw new TypeError('an uncaught error');
  });
  return connect.apply(this, args);
};
