import {limits} from '../../contract/limits.js';
import {statusConditions} from '../../domain/liveness.js';

/** When the reference service reports each status, with its default heartbeat interval. */
export const statusTable = statusConditions(limits.heartbeatInterval.default);
