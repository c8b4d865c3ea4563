import {day} from '../../domain/time.js';
import type {StoreLog} from '../../store/store.js';
import type {TlsState} from '../net/tls.js';
import type {Metrics} from './metrics.js';

/** How long before its expiry a certificate is warned about, in milliseconds. */
const warnBefore = 14 * day;

/** Records the expiry of the certificate in use, and warns of problems that its owner should fix. */
export function tlsWatcher(log: StoreLog, metrics: Metrics): (state: TlsState) => void {
  return ({expiresAt, isKeyWorldAccessible}) => {
    metrics.certificate(expiresAt);
    const left = expiresAt - Date.now();
    const details = {expires_at: new Date(expiresAt).toISOString()};
    if (left <= 0) log.warn(details, 'the certificate has expired: clients will refuse it');
    else if (left < warnBefore) log.warn(details, 'the certificate expires soon');
    if (isKeyWorldAccessible)
      log.warn(
        {},
        'every user of this machine can access the private key: restrict the mode of its file',
      );
  };
}
