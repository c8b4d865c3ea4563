import {expect} from 'chai';
import {withHint} from '../../../src/cli/errors/hints.js';
import {AppError} from '../../../src/errors.js';
import {explainStoreError} from '../../../src/server/admin/store-errors.js';
import {readAddresses} from '../../../src/server/net/addresses.js';
import {StoreError, type StoreErrorKind} from '../../../src/store/store.js';
import {sourceFiles} from '../../support/sources.js';

/** Keyed by every kind, so that the compiler finds a missing one. */
const storeErrorKinds: Readonly<Record<StoreErrorKind, true>> = {
  full: true,
  unavailable: true,
  missing: true,
  damaged: true,
  locked: true,
  format: true,
  forbidden: true,
  exposed: true,
  misconfigured: true,
  closed: true,
};

describe('errors of the service and the store', () => {
  const files = sourceFiles().filter(({path}) => /^(server|store)\//.test(path));
  const reasons = files.flatMap(({text}) =>
    [...text.matchAll(/\breason: '([a-z]+(?:-[a-z]+)+)'/g)].map(([, reason = '']) => reason),
  );

  it('have reasons', () => {
    expect(reasons.length).to.be.above(15);
  });

  for (const reason of new Set(reasons)) {
    it(`have a hint on the command line for the reason ${reason}`, () => {
      expect(withHint(new AppError('usage', 'x', {reason})).hint).to.be.a('string');
    });
  }

  for (const kind of Object.keys(storeErrorKinds) as StoreErrorKind[]) {
    it(`have a hint on the command line for a store that is ${kind}`, () => {
      const error = explainStoreError(new StoreError(kind, 'x'));
      if (!(error instanceof AppError)) throw new Error('a StoreError becomes an AppError');
      expect(withHint(error).hint).to.be.a('string');
    });
  }

  it('lead to the flag of the setting that is wrong', () => {
    for (const [setting, flag] of [
      ['trustProxy', '--trust-proxy'],
      ['metricsAllow', '--metrics-allow'],
    ] as const) {
      try {
        readAddresses(setting, '10/8');
        expect.fail('10/8 is accepted');
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        expect(error.message).not.to.include('--');
        expect(withHint(error).hint).to.include(`Pass addresses or networks to ${flag}`);
      }
    }
  });
});

describe('a key that is refused', () => {
  for (const reason of ['api-key-rejected', 'api-key-revoked', 'api-key-expired'] as const) {
    it(`for one connector leads to its activation, for a list to another key (${reason})`, () => {
      const hint = (details: {connectorId?: string}) =>
        withHint(new AppError('auth', 'x', {reason, details})).hint;
      expect(hint({connectorId: 'con_1'})).to.include('connector activate --force');
      expect(hint({})).to.include('API key').and.not.include('activate');
    });
  }

  it('leads to what replaces its kind when it is revoked', () => {
    const hint = (keyKind: string) =>
      withHint(
        new AppError('auth', 'x', {
          reason: 'api-key-revoked',
          details: {connectorId: 'con_1', keyKind},
        }),
      ).hint;
    expect(hint('connectorKey')).to.match(/^A newer one .* connector activate --force/);
    expect(hint('organizationKey')).to.equal('Ask for a new API key.');
    expect(hint('other')).to.match(/^Ask for a new API key\. .* connector activate --force/);
  });
});
