// For ejs, with which oclif renders each text of a help page: it compiles a function for each of them.
// Texts without a tag need none, and most tags only name a value.

type Data = Readonly<Record<string, unknown>>;
type Render = (template: string, data: Data) => string;

const namesValue = /<%[=-] ([\w.]+) %>/g;
/** What ejs writes as it is, whichever tag it stands in. */
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
