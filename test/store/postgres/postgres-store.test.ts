import {describeStore} from '../conformance.js';
import {StoreDatabase} from './fixture.js';

describeStore('PostgreSQL store', () => StoreDatabase.make());
