import {expect} from 'chai';
import fc from 'fast-check';
import {
  claimedKind,
  formatSecret,
  hashesEqual,
  hashSecret,
  isMistypedSecret,
  isWellFormedSecret,
  type SecretKind,
  secretPrefixes,
} from '../../src/domain/secret.js';

const kinds = Object.keys(secretPrefixes) as SecretKind[];
const anyKind = fc.constantFrom(...kinds);
const anyBytes = fc.uint8Array({minLength: 32, maxLength: 32});
const anySecret = fc.record({kind: anyKind, bytes: anyBytes}).map(({kind, bytes}) => ({
  kind,
  text: formatSecret(kind, bytes),
}));
/** A character that a person can type. */
const anyCharacter = fc.string({minLength: 1, maxLength: 1, unit: 'grapheme-ascii'});

describe('a secret', () => {
  it('has a fixed form', () => {
    expect(formatSecret('activationToken', new Uint8Array(32))).to.equal(
      `act_${'A'.repeat(43)}uF7Y3Q`,
    );
  });

  it('is well-formed for its own kind and no other', () => {
    fc.assert(
      fc.property(anySecret, anyKind, ({kind, text}, other) => {
        expect(isWellFormedSecret(other, text)).to.equal(other === kind);
        expect(claimedKind(text)).to.equal(kind);
      }),
    );
  });

  it('is not well-formed with any mistyped character', () => {
    fc.assert(
      fc.property(anySecret, fc.nat(), anyCharacter, ({kind, text}, position, character) => {
        const index = position % text.length;
        fc.pre(text[index] !== character);
        const mistyped = text.slice(0, index) + character + text.slice(index + 1);
        expect(isWellFormedSecret(kind, mistyped)).to.equal(false);
      }),
      {numRuns: 2000},
    );
  });

  it('counts as mistyped only at its full length: another service may use the same prefix', () => {
    fc.assert(
      fc.property(anySecret, fc.nat(48), ({text}, at) => {
        const index = text.indexOf('_') + 1 + at;
        const other = text[index] === 'x' ? 'y' : 'x';
        const mistyped = text.slice(0, index) + other + text.slice(index + 1);
        expect(isMistypedSecret(mistyped)).to.equal(true);
        const others = [text, `${text}x`, text.slice(0, -1), `${text.slice(0, -1)}.`];
        expect(others.filter(isMistypedSecret)).to.deep.equal([]);
      }),
    );
  });

  it('needs exactly 32 bytes', () => {
    for (const size of [0, 31, 33]) {
      expect(() => formatSecret('organizationKey', new Uint8Array(size))).to.throw(RangeError);
    }
  });

  it('is hashed with SHA-256', () => {
    expect(hashSecret('')).to.equal('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
  });

  it('has a hash that is compared as a whole', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        expect(hashesEqual(hashSecret(left), hashSecret(right))).to.equal(left === right);
      }),
    );
    const hash = hashSecret('');
    for (let at = 0; at < hash.length; at += 1) {
      const other = hash[at] === 'A' ? 'B' : 'A';
      expect(hashesEqual(hash, hash.slice(0, at) + other + hash.slice(at + 1))).to.equal(false);
      expect(hashesEqual(hash, hash.slice(0, at))).to.equal(false);
    }
    expect(hashesEqual(hash, `${hash}A`)).to.equal(false);
  });
});
