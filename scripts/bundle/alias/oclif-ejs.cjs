// Replaces ejs in oclif, which compiles each text of the help as a template, though nearly all are plain.
exports.render = (text, data) =>
  typeof text === 'string' && !text.includes('%') ? text : require('ejs').render(text, data);
