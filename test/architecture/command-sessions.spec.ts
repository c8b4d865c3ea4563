import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {commandPages} from '../../scripts/command-pages.js';
import {hasSession, withCurrentSessions} from '../support/command/example-session.js';
import {root} from '../support/sources.js';

describe('the sessions on the page of a command print what the page shows:', () => {
  const pages = commandPages.map((path) => ({path, text: readFileSync(join(root, path), 'utf8')}));
  for (const {path, text} of pages.filter((page) => hasSession(page.text))) {
    it(path, async function () {
      this.timeout(120_000);
      expect(text, 'Run: npm run docs:examples').to.equal(await withCurrentSessions(text));
    });
  }
});
