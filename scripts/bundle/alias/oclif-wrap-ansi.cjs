// Replaces wrap-ansi in oclif, which measures each word and each character: plain words fit by their length.
module.exports = (text, columns, options) => {
  const isPlain = /^[!-~]+( [!-~]+)*$/.test(text);
  const lines = isPlain && text.match(new RegExp(`[^ ].{0,${columns - 1}}(?= |$)`, 'g'));
  // A word that is longer than a line is not a whole match.
  const fits = lines && lines.join(' ') === text;
  return fits ? lines.join('\n') : require('wrap-ansi')(text, columns, options);
};
