/** What describes the store of an app, whatever happens in it. */
import { z } from "zod";
import { ComponentName, SettingRow } from "./common.ts";

export const LayoutReport = z
  .object({
    label: z.string().describe("`0.2.0 to 0.2.3`, `0.2.4`, `0.3.0 to 0.3.1`, `0.4.0 or newer`, or `incomplete`."),
    evidence: z.array(z.string()).describe("The evidence, one sentence each."),
    trigger_schema: z.int().nullable(),
    unknown_tables: z.array(z.string()).describe("Tables of the app's prefix that no known layout has."),
    gaps: z
      .array(z.string())
      .describe("What cannot be shown because columns that pynenc writes are missing: one sentence for each table."),
  })
  .meta({ id: "LayoutReport", description: "The detected layout, derived from tables and columns." });
export type LayoutReport = z.infer<typeof LayoutReport>;

export const ComponentRow = z
  .object({
    component: ComponentName,
    configured_class: z
      .string()
      .describe("Class named by the configuration, which may not be what the running app uses."),
    origin: z.string(),
    present: z.boolean().describe("Its tables are in this store."),
  })
  .meta({ id: "ComponentRow" });
export type ComponentRow = z.infer<typeof ComponentRow>;

export const StoreFacts = z.object({
  app_id: z.string(),
  location: z.string(),
  layout: LayoutReport,
  writes_refused: z.string().nullable().describe("Why actions are refused; null where they are not."),
  components: z.array(ComponentRow),
  settings: z.array(SettingRow),
});
export type StoreFacts = z.infer<typeof StoreFacts>;
