import {describeStore} from '../../support/store/conformance.js';
import {StoreDatabase} from './fixture.js';

// Distributed engines always behave like this: conflicting transactions fail and must be retried.
describeStore('PostgreSQL store, serializable', () =>
  StoreDatabase.make({default_transaction_isolation: 'serializable'}),
);
