import {makeTestDatabase} from '../../support/postgres/database.js';
import {describeProcesses} from './processes.js';

describeProcesses('one PostgreSQL database', () => makeTestDatabase());
