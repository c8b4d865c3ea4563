// Writes docs/openapi.json, the OpenAPI document that the service returns, for generators of clients; the package
// has it too. `npm run docs` rewrites it; a test fails while it differs. Indented, so that a diff shows what changed.
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {openApiDocument} from '../src/server/openapi/document.js';
import {root} from './build/root.js';

writeFileSync(
  join(root, 'docs', 'openapi.json'),
  `${JSON.stringify(openApiDocument(), null, 1)}\n`,
);
