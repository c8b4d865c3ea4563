import {expect} from 'chai';
import {isSecretName} from '../../src/domain/secret-names.js';

describe('isSecretName', () => {
  it('accepts names of secrets in any spelling', () => {
    const names = ['api_key', 'apiKey', 'X-API-Key', 'TOKEN', 'access_token', 'clientSecret'];
    const more = [
      'password',
      'passwd',
      'sig',
      'X-Amz-Signature',
      'private_key',
      'Set-Cookie',
      'key',
    ];
    const credentials = ['credential', 'credentials'];
    for (const name of [...names, ...more, ...credentials])
      expect(isSecretName(name), name).to.equal(true);
  });

  it('rejects other names', () => {
    const names = ['id', 'name', 'token_expires_at', 'key_id', 'keyboard', 'secrets_count', ''];
    const more = ['next_page_token', 'idempotency-key', 'public_key'];
    for (const name of [...names, ...more]) expect(isSecretName(name), name).to.equal(false);
  });
});
