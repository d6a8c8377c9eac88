/** Options for opening a store of any kind. */
export interface ConnectOptions {
  /** Number of worker threads for reads; 0 for a command, which reads in its own thread. */
  threads: number;
  /** Reads again and again without threads, so that its snapshots must make room for a writer (log-gate.ts). */
  follows?: boolean;
  /** How long an action waits for other writers, in seconds. */
  lockWait: number;
  /** Refuse every action. */
  readOnly: boolean;
  /** Limit of commands per second sent to a server; unlimited by default. Not used for files. */
  maxCommands?: number | null;
}
