import {expect} from 'chai';
import {otherTokenNotice, renderToken, tokenWarnings} from '../../src/terminal/notices.js';
import {now} from '../support/values/render.js';

describe('renderToken', () => {
  const token = {
    token: 'act_secret',
    expiresAt: new Date(now + 15 * 60_000 - 200),
    serverTime: undefined,
    raw: {token: 'act_secret'},
  };

  it('shows when the token expires and how to use it, but not the token', () => {
    const text = renderToken(token, now);
    expect(text).to.equal(
      [
        'Expires in 15m, at 2026-07-01T12:14:59.800Z.',
        'Activate a connector with it, on its machine; the command asks for the token:',
        '  connectorctl connector activate',
      ].join('\n'),
    );
    expect(text).not.to.include('act_');
    expect(otherTokenNotice).to.match(
      /^Warning: .* lost, so another token may exist, .* by itself\.$/,
    );
    expect(tokenWarnings({...token, otherMayExist: true}, now, 900)[0]).to.equal(otherTokenNotice);
  });

  it('names another service in the command, quoted as one shell word', () => {
    const command = (baseUrl: string) => renderToken(token, now, baseUrl).split('\n').at(-1);
    expect(command('https://connectors.example/prefix')).to.equal(
      '  connectorctl connector activate --base-url https://connectors.example/prefix',
    );
    expect(command("https://x/it's;rm")).to.equal(
      "  connectorctl connector activate --base-url 'https://x/it'\\''s;rm'",
    );
  });

  it('shows that a token has expired', () => {
    const late = renderToken({...token, expiresAt: new Date(now - 5000)}, now);
    expect(late.split('\n')[0]).to.equal('Expired 5s ago, at 2026-07-01T11:59:55.000Z.');
  });

  it('shows no expiry for a token whose expiry is a zero time', () => {
    for (const zero of ['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z']) {
      const text = renderToken({...token, expiresAt: new Date(zero)}, now);
      expect(text.split('\n')[0]).to.equal('The service sets no expiry time for it.');
    }
  });
});
