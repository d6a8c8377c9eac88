/** What runners and the atomic service are asked for with. */
import { EXECUTION_STATUSES, RUNNER_SCOPES } from "../api/words.ts";
import { paging } from "./common.ts";
import { number, text, word } from "./parameter.ts";

export const runnersInput = {
  show: word("runners with a recent heartbeat, or all", RUNNER_SCOPES, { usual: "active" }),
  ...paging(500, 100),
} as const;

export const atomicServiceInput = {
  runner_id: text("of this runner", { flag: "--runner <id>" }),
  status: word("with this status", EXECUTION_STATUSES, { flag: "--status <status>" }),
  atomic_service_run_id: text("whose id starts with this", { flag: "--id-prefix <text>" }),
  min_duration_seconds: number(
    "that took at least this many seconds; fractions are allowed",
    { least: 0 },
    { flag: "--min-duration <seconds>", accepted: "a number of seconds from 0 on, such as 0.01" },
  ),
  selected_atomic_service_run_id: text("the run to go to: without `page`, the page that holds it"),
  ...paging(1_000, 100),
} as const;
