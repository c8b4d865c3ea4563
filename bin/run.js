#!/usr/bin/env node
// Loads nothing and keeps to old syntax: the runtimes that it refuses must get as far as the message.
const {node, bun, deno} = process.versions;
const [major, minor] = node.split('.').map(Number);
if (bun || deno || major < 20 || (major === 20 && minor < 19)) {
  const name = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node.js ${node}`;
  process.stderr.write(`Error: connectorctl does not run on ${name}.
  Install Node.js 20.19 or newer (https://nodejs.org), and run connectorctl with it.
`);
  process.exit(2);
}
require('../dist/start.cjs');
