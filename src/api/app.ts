/** Apps of a store. */
import { z } from "zod";
import { instant, PageInfo, seconds } from "./model/common.ts";

export const AppEntry = z
  .object({
    app_id: z.string(),
    shown: z.boolean().describe("This answer is about it, or would be without another choice."),
    active: z.boolean().describe("It has a runner with a recent heartbeat."),
    phantom: z
      .boolean()
      .describe("Registered without invocations: usually left by a process that only connected to look."),
    module: z.string().nullable(),
  })
  .meta({ id: "AppEntry" });
export type AppEntry = z.infer<typeof AppEntry>;

export const LastLook = z
  .object({ app: z.string().nullable().describe("The shown app."), store: z.enum(["ok", "unreachable"]) })
  .meta({ id: "LastLook", description: "The result of the last read of the store." });
export type LastLook = z.infer<typeof LastLook>;

export const AppList = z
  .object({
    location: z.string().describe("Location of the store, with secrets masked."),
    origin: z.string().describe("How the store was found."),
    apps: z.array(AppEntry),
  })
  .meta({ id: "AppList", description: "The apps in the store." });
export type AppList = z.infer<typeof AppList>;

export const AppFigures = z
  .object({
    problems: z.int().describe("Current verdicts that are not muted."),
    errors: z.int().describe("Those of them that are errors."),
    finished: z.int().describe("Entries of the last hour's status history that say success or failed."),
    failed: z.int().describe("Those of them that say failed."),
    sampled: z
      .boolean()
      .describe(
        "`finished` and `failed` were counted in the latest entries of the hour, not in all: only their relation counts.",
      ),
    queued_messages: z.int().nullable().describe("Null if the queue cannot be reached."),
    active_runners: z.int(),
    last_change: instant.nullable().describe("The latest status change; null without any."),
  })
  .meta({ id: "AppFigures", description: "How an app is doing." });
export type AppFigures = z.infer<typeof AppFigures>;

export const AppRow = AppEntry.omit({ active: true })
  .extend({
    figures: AppFigures.nullable().describe("Null if the app cannot be opened."),
    trouble: z.string().nullable().describe("Why it cannot be opened."),
  })
  .meta({ id: "AppRow", description: "An app of the store, and how it is doing." });
export type AppRow = z.infer<typeof AppRow>;

export const AppOverview = z
  .object({
    location: z.string().describe("Location of the store, with secrets masked."),
    as_of: instant,
    apps: z.array(AppRow),
    page: PageInfo,
  })
  .meta({ id: "AppOverview", description: "The apps in the store, and how they are doing." });
export type AppOverview = z.infer<typeof AppOverview>;

export const ServedMonitor = z
  .object({
    url: z.string(),
    login_url: z
      .string()
      .nullable()
      .describe("With a token: a one-time address that signs in one browser, within 10 minutes. Null without a token."),
    app_id: z.string().describe("The shown app."),
    location: z.string().describe("Location of the store, with secrets masked."),
    read_only: z.boolean(),
  })
  .meta({ id: "ServedMonitor", description: "The address of a monitor that was started, and what it shows." });
export type ServedMonitor = z.infer<typeof ServedMonitor>;

export const SignInAddress = z
  .object({ url: z.string(), valid_seconds: seconds.describe("How long it is valid.") })
  .meta({ id: "SignInAddress", description: "A one-time address that signs in one browser." });
export type SignInAddress = z.infer<typeof SignInAddress>;

export const DemoStore = z
  .object({
    path: z.string().exactOptional().describe("Path of the SQLite file."),
    url: z.string().exactOptional().describe("Address of the server, for Redis and MongoDB."),
    app_id: z.string(),
  })
  .meta({ id: "DemoStore", description: "Where the demo app was written." });

export const CompletionScript = z
  .object({ shell: z.string(), script: z.string() })
  .meta({ id: "CompletionScript", description: "A script that makes a shell complete command lines." });
export type CompletionScript = z.infer<typeof CompletionScript>;

export const OptionList = z
  .object({
    options: z.array(z.object({ flags: z.string().meta({ examples: ["--app <id>"] }), description: z.string() })),
  })
  .meta({ id: "OptionList", description: "The options of every command." });
export type OptionList = z.infer<typeof OptionList>;
