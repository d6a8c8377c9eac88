/** What pynenc allows in queues. Without an import: each start of a command reads it. */

/** Names of queues. */
export const QUEUE_NAME = /^[A-Za-z0-9_.-]+$/;

/** Priorities go from minus this to plus this. */
export const MAX_PRIORITY = 100;
