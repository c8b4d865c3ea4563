import {rows, sandboxCommand} from '../../../sandbox/commands.js';

export default sandboxCommand(rows.faultClear);
