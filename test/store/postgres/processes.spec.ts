import {makeTestDatabase} from '../../support/postgres/postgres.js';
import {describeProcesses} from './processes.js';

describeProcesses('one PostgreSQL database', () => makeTestDatabase());
