import { auditInput } from "../inputs/actions.ts";
import { page, question } from "./model/declare.ts";

export const audit = question({
  name: "audit",
  area: "actions",
  summary: "list the changes this user made with the monitor",
  input: auditInput,
  addresses: [page("/audit")],
  command: {
    usage: "audit",
    group: "changes",
    rows: [{ in: "entries", id: ["id"] }],
    examples: ["monitor audit", "monitor audit --limit 500 --json | jq '.entries[] | select(.outcome != \"done\")'"],
  },
  answers: async () => [(await import("../api/audit.ts")).AuditPage],
});
