/** Shapes that every area uses: a page of a list, settings, counts, windows of time. */
import { z } from "zod";

/** As `isoFromEpoch` writes it. */
const INSTANT = /^(\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$|^invalid time$/;

export const instant = z.string().regex(INSTANT).meta({
  description:
    "An instant: ISO 8601 in UTC with six digits of a second; `invalid time` if the stored value is no time.",
});

export const seconds = z.number().describe("In seconds.");

export const taskIdKey = z.string().describe("A task: `module.function`.");

export const callIdKey = z.string().describe("A call: `module.function:arguments_id`.");

export const statusWord = z
  .string()
  .describe("A status of pynenc in lower case; another word where the store has one.");

export const PageInfo = z
  .object({
    number: z.int().describe("From 1."),
    size: z.int(),
    total: z
      .int()
      .nullable()
      .describe("Rows in the whole list; null where counting them would cost more than the page."),
    total_capped: z.boolean().describe("`total` is a lower bound: counting stopped there."),
    has_next: z.boolean(),
    first_row: z.int().describe("Number of the first and the last row shown, from 1; both 0 on an empty page."),
    last_row: z.int(),
  })
  .meta({ id: "PageInfo", description: "Where a page of rows lies in its list." });
export type PageInfo = z.infer<typeof PageInfo>;

export const SettingRow = z
  .object({
    field: z.string(),
    value: z.string(),
    unit: z.string().nullable(),
    meaning: z.string(),
    origin: z
      .string()
      .describe("Where the value comes from: a variable, a file and section, the app's registration, or the default."),
    warning: z.string().nullable(),
  })
  .meta({ id: "SettingRow", description: "One setting as pages show it: masked, with its origin." });
export type SettingRow = z.infer<typeof SettingRow>;

export const StatusCount = z
  .object({
    status: statusWord,
    count: z.int(),
    final: z.boolean(),
    known: z.boolean().describe("False for a word that this monitor does not know."),
  })
  .meta({ id: "StatusCount" });
export type StatusCount = z.infer<typeof StatusCount>;

export const InvocationTotals = z
  .object({
    invocations: z.int().describe("Every invocation of which a status or a definition is stored."),
    with_status: z.int().describe("Those with a status in the orchestrator."),
    defined: z.int().describe("Those with a definition in the state backend."),
    forgotten: z.int().describe("Those with a definition and no status in the orchestrator (`ForgottenInvocation`)."),
    complete: z.boolean().describe("False while a large store is still being scanned: more may be found."),
  })
  .meta({ id: "InvocationTotals" });
export type InvocationTotals = z.infer<typeof InvocationTotals>;

export const ComponentName = z
  .enum(["broker", "orchestrator", "state_backend", "client_data_store", "trigger"])
  .meta({ id: "ComponentName" });
export type ComponentName = z.infer<typeof ComponentName>;

export const ServerLoad = z
  .object({
    location: z.string().describe("With secrets masked."),
    commands: z.number().describe("A second, on average of the last minute, by this process."),
    bytes: z.number().describe("Of answers, likewise."),
    most_commands: z.number().describe("A second: `--max-commands`."),
    most_bytes: z.number().describe("A second."),
  })
  .meta({ id: "ServerLoad", description: "What the monitor asks of a server, and the most that it asks." });
export type ServerLoad = z.infer<typeof ServerLoad>;

export const StorageFigure = z
  .object({
    name: z.string(),
    component: ComponentName,
    rows: z.int(),
    exact: z
      .boolean()
      .describe(
        "False if counting would read too much: `rows` is then estimated, from the range of row numbers (exact unless single rows were deleted) or from a sample of keys.",
      ),
    bytes: z.int().nullable(),
  })
  .meta({
    id: "StorageFigure",
    description:
      "Rows and bytes of one table or key family. Bytes are null if they cannot be read cheaply, and estimated from a sample of keys if the store has no total.",
  });
export type StorageFigure = z.infer<typeof StorageFigure>;

export const WindowQuery = z
  .object({
    start_date: z.string().describe("UTC without an offset: `2026-07-04T10:15:00.250000`."),
    end_date: z.string(),
  })
  .meta({ id: "WindowQuery", description: "Parameters of a window in an address." });
export type WindowQuery = z.infer<typeof WindowQuery>;

export const TimelineQuery = WindowQuery.extend({
  selected: z.string().exactOptional(),
  inv_ids: z.string().exactOptional().describe("Comma list: the timeline is restricted to these."),
  focus_event: z.string().exactOptional(),
}).meta({ id: "TimelineQuery", description: "Parameters of a timeline." });
export type TimelineQuery = z.infer<typeof TimelineQuery>;
