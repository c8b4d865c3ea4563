import {expect} from 'chai';
import {sourceFiles} from '../../support/sources.js';

/**
 * PostgreSQL features that distributed engines with the same protocol lack or implement differently.
 * Our SQL keywords are upper case, so these patterns do not match other words.
 */
const unportable = [
  /\bpg_(try_)?advisory\w*/,
  /\b(LISTEN|NOTIFY|EXTENSION|TRIGGER|FUNCTION|INHERITS|PARTITION|UNLOGGED|TRUNCATE|MERGE|SAVEPOINT|IDENTITY)\b/,
  /\b(SEQUENCE|SERIAL|BIGSERIAL|TEMP|TEMPORARY|LOCK TABLE|USING (GIN|GIST|BRIN|HASH))\b/i,
  /\b(nextval|ctid|xmin|plpgsql|lo_create|dblink)\b/i,
];

const sources = sourceFiles().filter(({path}) => path.startsWith('store/postgres/'));

describe('the SQL of a PostgreSQL store', () => {
  it('uses no feature that distributed engines lack', () => {
    const found = sources.flatMap(({path, text}) =>
      unportable.flatMap(
        (pattern) =>
          pattern
            .exec(text)
            ?.slice(0, 1)
            .map((it) => [path, it]) ?? [],
      ),
    );
    expect(sources.map(({text}) => text).join())
      .to.include('CREATE TABLE')
      .and.include('UPDATE ');
    expect(found).to.deep.equal([]);
  });
});
