import {describeStore} from '../../support/store/conformance.js';
import {StoreDatabase} from './fixture.js';

describeStore('PostgreSQL store, with large cases', () => StoreDatabase.make());
