import {StoreDirectory} from '../../support/json-file/fixture.js';
import {describeStore} from '../../support/store/conformance.js';

describeStore('JSON file store', () => StoreDirectory.make());
