// Replaces ejs, which oclif uses for each text of a help page: ejs compiles a function per text.
// Texts without a tag need none, and most tags only name a value.

type Data = Readonly<Record<string, unknown>>;
type Render = (template: string, data: Data) => string;

const namesValue = /<%[=-] ([\w.]+) %>/g;
/** Texts that ejs does not escape, whatever the tag. */
const plain = /^[^&<>"']*$/;

const render: Render = (template, data) => {
  const text = template.replace(namesValue, (tag, path: string) => plainValue(data, path) ?? tag);
  if (!/<%|%>/.test(text)) return text;
  const real: {readonly render: Render} = require('ejs');
  return real.render(text, data);
};

export default {render};

function plainValue(data: Data, path: string): string | undefined {
  const value = path.split('.').reduce(member, data);
  return typeof value === 'string' && plain.test(value) ? value : undefined;
}

function member(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}
