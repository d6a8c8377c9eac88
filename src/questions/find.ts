import { findInput, queryCompletionInput } from "../inputs/find.ts";
import { data, page, question } from "./model/declare.ts";

const QUERY_COMPLETION = data("/search/complete", {
  summary: "What may stand at the end of a query that is being written",
  answer: async () => (await import("../api/find.ts")).QueryCompletion,
  input: queryCompletionInput,
});

export const find = question({
  name: "find",
  area: "find",
  summary: "find what an id, a name or a log line means",
  details:
    "Takes ids of every kind: in full, their first 4 or more characters, or shortened as pages and commands print them; names of tasks, event codes, workflow types, hosts, statuses, exceptions and pages; addresses of pages; and pasted log lines.",
  input: findInput,
  addresses: [page("/search"), QUERY_COMPLETION],
  command: {
    usage: "find <text...>",
    rows: [{ in: "matches", id: ["id"] }],
    examples: [
      "monitor find 93041383...4339",
      "monitor find place_order",
      "monitor find worker-3 --json | jq -r '.matches[].path'",
    ],
    exits: "Exits with 3 if nothing matches.",
  },
  tool: {
    name: "find",
    otherNames: ["search"],
    takes: ["q"],
    note: "Use it for a text of which you do not know what it is: an id without its kind, a part of a name, an order number. It answers with kinds and ids, which `show`, `why` and `trace` take. It looks at what is stored now; there is no `at`.",
  },
  answers: async () => [(await import("../api/find.ts")).FindAnswer],
});
