#!/usr/bin/env node
// The command line from its sources, without a build: oclif looks for the commands in src.
const {dirname, join} = require('node:path');
const {Plugin} = require('@oclif/core');
const pjson = {...require('../package.json'), oclif: require('../.oclifrc.json')};

const root = dirname(__dirname);
const source = JSON.parse(JSON.stringify(pjson).replaceAll('./build/', './src/'));

async function start() {
  const {register} = await import('tsx/esm/api');
  register();
  const plugins = [
    new Plugin({root, pjson: source, isRoot: true, ignoreManifest: true}),
    ...pjson.oclif.plugins.map((name) => new Plugin({root: join(root, 'node_modules', name)})),
  ];
  for (const plugin of plugins) await plugin.load();
  const {main} = await import('../src/cli/process/run.ts');
  await main({
    root,
    pjson: source,
    plugins: new Map(plugins.map((plugin) => [plugin.name, plugin])),
  });
}

start();
