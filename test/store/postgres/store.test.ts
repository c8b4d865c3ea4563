import {describeStore} from '../../support/store/conformance.js';
import {StoreDatabase} from './fixture.js';

describeStore('PostgreSQL store', () => StoreDatabase.make());

// What the distributed engines do always: transactions that meet fail, and must be repeated.
describeStore('PostgreSQL store, serializable', () =>
  StoreDatabase.make({default_transaction_isolation: 'serializable'}),
);
