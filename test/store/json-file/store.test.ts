import {describeStore} from '../conformance.js';
import {StoreFolder} from './fixture.js';

describeStore('JSON file store', () => StoreFolder.make());
