/** The levels of Python's logging that pynenc's formatters write, from the least severe on. */
export const LOG_LEVELS = ["debug", "info", "warning", "error", "critical"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
