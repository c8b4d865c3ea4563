/**
 * What a connector's status can be at the reference service (interface §3: states not shown), apart
 * from its schema: completion offers them, and loads nothing for it.
 */
export const connectorStatuses = ['never', 'online', 'stale', 'offline'] as const;
