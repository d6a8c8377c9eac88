/** Levels of Python's logging that pynenc's formatters write, least severe first. */
export const LOG_LEVELS = ["debug", "info", "warning", "error", "critical"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
