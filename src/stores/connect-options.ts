/** How stores of every kind are opened. */
export interface ConnectOptions {
  /** Worker threads for reads; 0 for a command, which works in its own thread. */
  threads: number;
  /** How long an action waits for other writers, in seconds. */
  lockWait: number;
  /** Refuse every action. */
  readOnly: boolean;
  /** Commands a second that a server is asked at most; as many as it can answer unless given. Files are not asked. */
  maxCommands?: number | null;
}
