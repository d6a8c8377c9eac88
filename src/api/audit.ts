/** The record of actions. */
import { z } from "zod";
import { instant, PageInfo } from "./model/common.ts";

export const AuditEntry = z
  .object({
    id: z.string().describe("Random."),
    at: instant.describe("ISO 8601."),
    app_id: z.string(),
    location: z.string().describe("The store, as text for people: a path or a masked URL."),
    action: z.string().describe("`purge broker`, `rerun` ..."),
    via: z.enum(["cli", "server", "agent"]).describe("`agent`: an assistant, through `monitor mcp`."),
    who: z.string().describe("The user of the shell, or the address of the client."),
    outcome: z.enum(["done", "refused", "failed"]),
    message: z.string(),
    counters: z
      .record(z.string(), z.unknown())
      .readonly()
      .describe("The counters of the outcome; empty unless it was done."),
  })
  .meta({ id: "AuditEntry", description: "What somebody did, or tried to do." });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = z
  .object({
    app_id: z.string(),
    location: z.string().describe("The store of these actions."),
    entries: z.array(AuditEntry).describe("Newest first."),
    page: PageInfo,
    file: z.string().nullable().describe("Where the record is kept; null for a user without a home."),
    notes: z.array(z.string()).describe("What the list leaves out."),
  })
  .meta({ id: "AuditPage", description: "What was changed through monitors of this user, newest first." });
export type AuditPage = z.infer<typeof AuditPage>;
