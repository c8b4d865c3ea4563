// Replaces wrap-ansi in oclif, which measures each word. A line of printable ASCII that fits is only trimmed.
module.exports = (text, columns, options) =>
  /^[ -~]*$/.test(text) && text.length <= columns
    ? text.trim()
    : require('wrap-ansi')(text, columns, options);
