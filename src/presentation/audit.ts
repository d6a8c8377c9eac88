/** Words for the record of actions, on pages and terminals. */
import type { AuditEntry } from "../api/audit.ts";

export const VIA_WORDS: Readonly<Record<AuditEntry["via"], string>> = {
  cli: "terminal",
  server: "server",
  agent: "assistant",
};
