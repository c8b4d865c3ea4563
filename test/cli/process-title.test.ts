import {expect} from 'chai';
import {titleFor} from '../../src/cli/process-title.js';

describe('the process title', () => {
  const serve = (store: string) => titleFor(['serve', '--port', '0', '--store', store]);
  const hidden = 'connectorctl serve --port 0 --store postgres://…';

  for (const url of [
    'postgres://ada:sesame@db.example/connectors',
    'postgres://ada:s%40same@db.example/connectors',
    'postgres://:sesame@db.example',
    'postgres://ada@db.example/connectors?sslmode=require&password=sesame',
    'postgres://ada:ses@me/12?x@db.example/connectors',
  ]) {
    it(`hides the password in ${url}`, () => {
      expect(serve(url)).to.equal(hidden);
    });
  }

  it('hides the password of a database URL in any argument', () => {
    const url = 'POSTGRESQL://ada:sesame@db.example/connectors';
    expect(titleFor(['serve', `--store=${url}`])).to.equal(
      'connectorctl serve --store=POSTGRESQL://…',
    );
    expect(titleFor(['store', 'copy', './store', url])).to.equal(
      'connectorctl store copy ./store POSTGRESQL://…',
    );
  });

  it('does not change when the command line has no secret', () => {
    expect(serve('postgres://ada@db.example:5432/connectors?sslmode=require')).to.equal(undefined);
    expect(titleFor(['connector', 'activate', '--token-file', '-'])).to.equal(undefined);
    expect(titleFor([])).to.equal(undefined);
  });
});
