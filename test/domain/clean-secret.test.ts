import {expect} from 'chai';
import {cleanSecret} from '../../src/domain/secret.js';
import {activationToken, connectorKey, organizationKey} from '../support/values/secrets.js';

const variable = 'CONNECTORCTL_ACTIVATION_TOKEN';

describe('cleanSecret', () => {
  const pasted: readonly (readonly [string, (secret: string) => string])[] = [
    ['unchanged', (secret) => secret],
    ['white space', (secret) => ` \t${secret}\u00a0\r\n`],
    ['blank lines before it', (secret) => `\n\r\n\n${secret}\n`],
    ['zero-width spaces', (secret) => `\ufeff${secret.slice(0, 9)}\u200b${secret.slice(9)}\u2060`],
    ['double quotes', (secret) => `"${secret}"`],
    ['single quotes', (secret) => `'${secret}'`],
    ['backticks', (secret) => `\`${secret}\``],
    ['typographic quotes', (secret) => `“${secret}”`],
    ['export', (secret) => `export ${variable}=${secret}`],
    ['export and quotes', (secret) => `  export ${variable}="${secret}";\n`],
    ['a line of an environment file', (secret) => `${variable}='${secret}'`],
    ['PowerShell', (secret) => `$env:${variable} = "${secret}"`],
    ['cmd', (secret) => `set ${variable}=${secret}`],
  ];
  for (const [name, wrap] of pasted) {
    it(`extracts a secret of any service from pasted text: ${name}`, () => {
      for (const secret of [activationToken(), organizationKey(), connectorKey(), 'ABCD-12/34==']) {
        expect(cleanSecret(wrap(secret))).to.equal(secret);
      }
    });
  }

  it('extracts our own secrets from an assignment to any variable', () => {
    expect(cleanSecret(`TOKEN=${activationToken()}`)).to.equal(activationToken());
  });

  it('keeps characters that may belong to a secret', () => {
    for (const secret of ['a"b', '"', 'TOKEN=abc', 'QUJD=', 'CONNECTORCTL_X=', 'ünusual one', 'a;'])
      expect(cleanSecret(secret)).to.equal(secret);
  });
});
