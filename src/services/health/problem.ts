/** One thing that looks wrong. */
export interface Problem {
  kind:
    | "stuck_pending"
    | "running_on_dead_runner"
    | "paused_on_dead_runner"
    | "waiting_in_no_queue"
    | "stuck_atomic_service"
    | "unreachable_queue"
    | "unconsumed_queue"
    | "undeclared_queue"
    | "invalid_slots"
    | "no_service_runner"
    | "no_triggers"
    | "no_recovery";
  severity: "warning" | "error";
  title: string;
  /** What follows from it and what usually helps. */
  detail: string;
  /** Invocations, runners or service runs concerned, the first few. */
  ids: string[];
  /** How many there are; `ids` may be fewer. */
  count: number;
}
