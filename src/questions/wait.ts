import { waitInput } from "../inputs/invocations.ts";
import { text } from "../inputs/parameter.ts";
import { question } from "./model/declare.ts";

/** Seconds that a tool waits: clients give up after a minute. */
export const LONGEST_WAIT = 45;

export const wait = question({
  name: "wait",
  area: "invocations",
  summary: "wait until invocations end, succeed or start to run",
  details: "Of ids, or of all that match a search when it begins.",
  input: waitInput,
  command: {
    usage: "wait [query...]",
    rows: [{ in: "invocations", id: ["invocation_id"] }],
    examples: [
      "monitor wait 93041383",
      "monitor wait task:place_order since:5m --for success --timeout 5m",
      "monitor wait 93041383 --json | jq -r .outcome",
    ],
    exits:
      "Exits with 0 when all of them have, 1 as soon as one ends any other way, 3 if one is not in the store (or no longer is), 124 on timeout.",
  },
  tool: {
    name: "wait",
    about: "Wait until invocations end, succeed or start to run.",
    takes: ["ids", "goal", "timeout"],
    options: {
      ids: text("ids of invocations: in full, shortened, or their first 4 or more characters", {
        argument: "ids",
        read: "list",
        required: true,
        most: 1_000,
      }),
      timeout: text(`wait no longer than this, at most ${LONGEST_WAIT} seconds (default 10s); then ask again`, {
        flag: "--timeout <length>",
        read: "length",
      }),
    },
    note: "Use it after a rerun, or when the user wants to know when something has ended. It waits for the future, so there is no `at`.",
  },
  answers: async () => [(await import("../api/wait.ts")).WaitAnswer],
});
