import {expect} from 'chai';
import fc from 'fast-check';
import {joinWord, readInvitation} from '../../../src/connector/activate/join.js';
import {redactSecrets} from '../../../src/domain/secret.js';
import {AppError} from '../../../src/errors.js';
import {activationToken} from '../../support/values/secrets.js';

const invitation = {baseUrl: 'https://connectors.example/team-a', token: activationToken()};
const word = joinWord(invitation.baseUrl, invitation.token);

describe('a join word', () => {
  it('is one word that no chat turns into a link', () => {
    expect(word).to.match(/^join_[\w-]+$/);
  });

  it('gives back the address and the token, also of other services', () => {
    fc.assert(
      fc.property(fc.webUrl(), fc.stringMatching(/^[!-~]+$/), (baseUrl, token) => {
        expect(readInvitation(joinWord(baseUrl, token))).to.deep.equal({baseUrl, token});
      }),
    );
  });

  it('survives the line breaks and blanks of a chat', () => {
    const broken = word.replace(/.{20}/g, '$&\r\n  \u00a0');
    expect(readInvitation(broken)).to.deep.equal(invitation);
  });

  for (const [what, text] of [
    ['a label before it', `Token: ${word}`],
    ['an assignment before it', `TOKEN=${word}`],
    ['the mark of a quotation', `> ${word}`],
    ['marks of a quotation in it', word.replace(/.{20}/g, '$&\n> ')],
    ['angle brackets', `<${word}>`],
    ['quotes', `«${word}»`],
    ['a capital', word.replace('j', 'J')],
    ['only capitals before its content', word.replace('join', 'JOIN')],
    ['another word behind it', `${word} thanks`],
    ['a full stop behind it', `${word}.`],
    ['itself behind it', word + word],
    ['nothing but its beginning', word.slice(0, 8)],
    ['a label, a capital and its beginning', `Token: ${word.replace('j', 'J').slice(0, 8)}`],
  ] as const) {
    it(`is refused with ${what}, and with what to do`, () => {
      expect(() => readInvitation(text)).to.throw(AppError, 'paste the word alone');
    });
  }

  it('is refused when any character of it is missing or another', () => {
    for (let at = 'join_'.length; at < word.length; at += 1) {
      const other = word[at] === 'A' ? 'B' : 'A';
      for (const text of [
        word.slice(0, at) + word.slice(at + 1),
        word.slice(0, at) + other + word.slice(at + 1),
      ]) {
        expect(() => readInvitation(text), text).to.throw(AppError, 'mistyped or incomplete');
      }
    }
  });

  it('is no join word when it is a token alone', () => {
    const {token} = invitation;
    expect(readInvitation(token)).to.deep.equal({baseUrl: undefined, token});
  });

  it('is redacted wherever a secret is', () => {
    expect(redactSecrets(`Unknown word ${word}.`)).to.equal('Unknown word join_….');
    const glued = word.replace('j', 'J');
    expect(redactSecrets(`Token${glued}`)).to.equal('TokenJoin_…');
  });
});
