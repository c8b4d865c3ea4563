import {expect} from 'chai';
import fc from 'fast-check';
import {createIdFactory} from '../../src/domain/ids.js';
import {
  deriveConnectorKey,
  formatSecret,
  isWellFormedSecret,
  redactSecrets,
} from '../../src/domain/secret.js';

describe('ids', () => {
  it('sort by creation, also within one millisecond and when the clock is set back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({min: 0, max: 2 ** 47}), {minLength: 2}), (times) => {
        const newId = createIdFactory(() => 0.5);
        const ids = times.map((at) => newId('con', at));
        expect([...ids].sort()).to.deep.equal(ids);
        expect(new Set(ids).size).to.equal(ids.length);
        for (const id of ids) expect(id).to.match(/^con_[0-9A-HJKMNP-TV-Z]{26}$/);
      }),
    );
  });
});

describe("a connector's key", () => {
  const secret = new Uint8Array(32).fill(1);

  it('is the same for the same activation, so that a repetition can return it', () => {
    const key = deriveConnectorKey(secret, 'act_x', 'con_1');
    expect(deriveConnectorKey(secret, 'act_x', 'con_1')).to.equal(key);
    expect(isWellFormedSecret('connectorKey', key)).to.equal(true);
  });

  it('depends on the server secret, the token and the connector', () => {
    const keys = [
      deriveConnectorKey(secret, 'act_x', 'con_1'),
      deriveConnectorKey(secret, 'act_x', 'con_2'),
      deriveConnectorKey(secret, 'act_y', 'con_1'),
      deriveConnectorKey(new Uint8Array(32).fill(2), 'act_x', 'con_1'),
    ];
    expect(new Set(keys).size).to.equal(keys.length);
  });
});

describe('redactSecrets', () => {
  const kinds = fc.constantFrom('activationToken', 'organizationKey', 'connectorKey');
  const bytes = fc.uint8Array({minLength: 32, maxLength: 32});

  it('keeps only the prefix of a secret anywhere in a text', () => {
    fc.assert(
      fc.property(kinds, bytes, fc.constantFrom(' ', '"', '/', '=', '\n'), (kind, raw, around) => {
        const secret = formatSecret(kind as 'activationToken', raw);
        const text = redactSecrets(`a${around}${secret}${around}b ${secret.slice(0, 30)}`);
        expect(text).not.to.include(secret.slice(5, 20));
        expect(text).to.match(/^a[\s\S](act|ck|cck)_…[\s\S]b (act|ck|cck)_…$/);
      }),
    );
  });

  it('does not change other words', () => {
    const text =
      'act_now ck_ key_01ARZ3NDEKTSV4RRFFQ69G5FAV con_01ARZ3NDEKTSV4RRFFQ69G5FAV impact_x';
    expect(redactSecrets(text)).to.equal(text);
  });
});
