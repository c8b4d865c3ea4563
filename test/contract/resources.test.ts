import {expect} from 'chai';
import fc from 'fast-check';
import {
  ActivateBody,
  ConnectorName,
  CreateTokenBody,
  fillPath,
  ListQuery,
  limits,
  problems,
  routes,
} from '../../src/contract/index.js';
import {anyCharacter} from '../support/values/any-character.js';

/** The code points of a text that may be invisible. */
const codePoints = (text: string) =>
  [...text].map((point) => `U+${point.codePointAt(0)?.toString(16)}`).join(' ');

describe('the contract', () => {
  it('has the five operations of the interface, with their methods and paths (interface §4)', () => {
    const paths = Object.values(routes).map(({method, path}) => `${method} ${path}`);
    const advice =
      'These are the operations of the interface. Add one of our own to the end of this list, in the order of src/contract/endpoints.ts, and a row to src/conformance/checks/open-points.ts.';
    expect(paths, advice).to.deep.equal([
      'POST /api/connectors/create-token',
      'POST /api/connectors/activate',
      'GET /api/connectors',
      'GET /api/connectors/{id}',
      'POST /api/connectors/{id}/heartbeat',
    ]);
  });

  it('gives every problem an error status and a title', () => {
    for (const {status, title} of Object.values(problems)) {
      expect(status).to.be.within(400, 599);
      expect(title).to.match(/^[A-Z][^.]+$/);
    }
  });

  it('encodes any id as one segment of the path', () => {
    fc.assert(
      fc.property(fc.string({minLength: 1, unit: 'grapheme'}), (id) => {
        const path = fillPath(routes.get.path, {id});
        expect(path.split('/')).to.have.length(routes.get.path.split('/').length);
        expect(path).to.match(/^[\w/.~!*'()%-]+$/);
        expect(decodeURIComponent(path.split('/').at(-1) ?? '')).to.equal(id);
      }),
    );
  });

  describe('for connector names', () => {
    const accepts = (name: string) => ConnectorName.safeParse(name).success;

    it('allows 128 characters', () => expect(limits.nameLength).to.equal(128));

    it('trims them and counts code points', () => {
      expect(ConnectorName.parse('  web 1\t')).to.equal('web 1');
      expect(accepts('😀'.repeat(limits.nameLength))).to.equal(true);
      expect(accepts('😀'.repeat(limits.nameLength + 1))).to.equal(false);
      expect(['', '   ', '\u00a0'].map(accepts)).to.deep.equal([false, false, false]);
    });

    it('rejects more than 16 blanks around them, which would stay in memory', () => {
      const padded = (blanks: number) => `${' '.repeat(blanks)}web-1${' '.repeat(blanks)}`;
      expect(ConnectorName.parse(padded(16))).to.equal('web-1');
      expect(accepts(padded(17))).to.equal(false);
      expect(accepts(`${' '.repeat(17)}web-1`)).to.equal(false);
    });

    for (const invisible of [
      '\u200b',
      '\u200b\u200d \u2060',
      '\u00ad',
      '\u3164',
      '\ufe0f',
      '\u{e0020}\u{e007f}',
      '\u2800',
      '\u202e',
    ]) {
      it(`rejects invisible names such as ${codePoints(invisible)}`, () => {
        expect(accepts(invisible)).to.equal(false);
        expect(accepts(`${invisible}a`)).to.equal(true);
        const described = CreateTokenBody.safeParse({description: invisible});
        expect(described.error?.issues[0]?.message).to.equal(
          'must be 1 to 256 characters, at least one of them visible and none a control character',
        );
      });
    }

    it('validates long names in linear time', () => {
      const accepted = [' ', '\u200b', 'a', 'a ', '\ud800'].flatMap((blank) => {
        // With the square of the length, one of these takes longer than the time limit of a test.
        const long = blank.repeat(1_000_000);
        const names = [long, `${long}x`, `x${long}`, `x${long}\0`, `${long}x${long}\0`];
        return names.filter(accepts);
      });
      expect(accepted).to.deep.equal([]);
    });

    it('rejects control characters and lone surrogates', () => {
      for (const bad of ['a\nb', 'a\0', 'a\x1b[2J', 'a\x7fb', 'a\u0085b', 'a\ud800', '\udc00']) {
        expect(accepts(`x${bad}y`), JSON.stringify(bad)).to.equal(false);
      }
      fc.assert(
        fc.property(fc.string({minLength: 1, maxLength: 128, unit: anyCharacter}), (text) => {
          const trimmed = text.trim();
          const fine =
            /[^\s\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u.test(trimmed) &&
            [...trimmed].length <= 128 &&
            !/\p{Cc}/u.test(trimmed);
          expect(accepts(text)).to.equal(fine);
        }),
      );
    });
  });

  it('names the field that has the wrong type, and ignores unknown fields', () => {
    const wrong = ActivateBody.safeParse({token: 1, name: 'x'});
    expect(wrong.error?.issues.map(({path}) => path)).to.deep.equal([['token']]);
    expect(ActivateBody.parse({token: ' t ', name: 'x', more: 1})).to.deep.equal({
      token: 't',
      name: 'x',
    });
  });

  it('limits the size of a page', () => {
    const accepts = (limit: string) => ListQuery.safeParse({limit}).success;
    expect(['1', '1000'].map(accepts)).to.deep.equal([true, true]);
    const wrong = ['', ' 5', '5 ', ...'0 1001 -1 1.5 x 0x10 1e2 +5 05 5n ٥'.split(' ')];
    for (const limit of wrong) expect(accepts(limit), limit).to.equal(false);
  });
});
