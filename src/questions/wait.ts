import { waitInput } from "../inputs/invocations.ts";
import { question } from "./model/declare.ts";

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
      "monitor wait 0e5f93a1",
      "monitor wait task:ship since:5m --for success --timeout 5m",
      "monitor wait 0e5f93a1 --json | jq -r .outcome",
    ],
    exits:
      "Exits with 0 when all of them have, 1 as soon as one ends any other way, 3 if one is not in the store (or no longer is), 124 on timeout.",
  },
  answers: async () => [(await import("../api/wait.ts")).WaitAnswer],
});
