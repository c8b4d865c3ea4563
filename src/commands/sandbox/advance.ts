import {rows, sandboxCommand} from '../../cli/sandbox/commands.js';

export default sandboxCommand(rows.advance);
