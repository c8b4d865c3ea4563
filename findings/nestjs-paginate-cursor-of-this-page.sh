#!/usr/bin/env bash
# nestjs-paginate: `meta.cursor` is the cursor of the page itself, and `links.next` follows the last record.
#
# Expected (the guess): `meta.cursor` leads to the next page, as `cursor` does at Square or Dropbox, and a page without
# further records has no `links.next`.
# What happens: the first page has no `meta.cursor`. Each later page repeats the cursor that was sent. The page with the
# last record still has `links.next`, which leads to an empty page; only that one has none.
# A client that follows `meta.cursor` reads one page of many, or the same page again and again. One that stops at a page
# that is shorter than its limit is right, and one that trusts `links.next` needs a request more.
# Versions: nestjs-paginate 15.0.1 with typeorm 1.1.1 and sql.js 1.17.0, Node.js 20.19 or later.
# For: whoever reads or builds lists with PaginationType.CURSOR.
# Source: https://github.com/ppetzold/nestjs-paginate, README, "Example (Cursor-based Pagination)"
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
echo '{"private": true, "type": "module"}' >package.json
timeout 300 npm install --prefix "$directory" --no-audit --no-fund --ignore-scripts --silent \
  nestjs-paginate@15.0.1 typeorm@1.1.1 sql.js@1.17.0 reflect-metadata@0.2.2 rxjs@7.8.2 \
  @nestjs/common@11.2.10 @nestjs/core@11.2.10 @nestjs/swagger@11.4.7 express@5.3.0 fastify@5.12.8

cat >pages.mjs <<'JS'
import 'reflect-metadata';
import {createRequire} from 'node:module';

const require = createRequire(import.meta.url);
const {DataSource, EntitySchema} = require('typeorm');
const {paginate, PaginationType} = require('nestjs-paginate');

class Device {}
const columns = {id: {type: Number, primary: true}, name: {type: String}};
const schema = new EntitySchema({name: 'Device', target: Device, columns});
const source = new DataSource({type: 'sqljs', entities: [schema], synchronize: true});
await source.initialize();
const devices = source.getRepository(Device);
await devices.save([1, 2, 3].map((id) => ({id, name: `device ${id}`})));

const config = {
  sortableColumns: ['id'],
  defaultSortBy: [['id', 'ASC']],
  paginationType: PaginationType.CURSOR,
};
let sent;
for (let number = 1; number <= 4; number += 1) {
  const query = {path: 'http://localhost/devices', limit: 2, ...(sent && {cursor: sent})};
  const {data, meta, links} = await paginate(query, devices, config);
  const next = links.next && new URL(links.next).searchParams.get('cursor');
  const own = meta.cursor === undefined ? 'none' : meta.cursor === sent ? 'as sent' : 'another';
  const ids = data.map(({id}) => id).join(',') || 'none';
  console.log(`page ${number}: ids ${ids}; meta.cursor ${own}; links.next ${next ? 'yes' : 'no'}`);
  if (!next) break;
  sent = next;
}
JS

version() { node -p "JSON.parse(fs.readFileSync('node_modules/$1/package.json')).version"; }
echo "nestjs-paginate $(version nestjs-paginate), typeorm $(version typeorm)"
seen=$(timeout 60 node pages.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'page 1: ids 1,2; meta.cursor none; links.next yes
page 2: ids 3; meta.cursor as sent; links.next yes
page 3: ids none; meta.cursor as sent; links.next no' ]
echo 'as described'
