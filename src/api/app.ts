/** Apps of a store. */
import { z } from "zod";

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
  .object({ url: z.string(), seconds: z.int().describe("How long it is valid.") })
  .meta({ id: "SignInAddress", description: "A one-time address that signs in one browser." });
export type SignInAddress = z.infer<typeof SignInAddress>;

export const DemoStore = z
  .object({
    path: z.string().exactOptional().describe("Path of the SQLite file."),
    url: z.string().exactOptional().describe("Address of the Redis server."),
    app_id: z.string(),
  })
  .meta({ id: "DemoStore", description: "Where the demo app was written." });
export type DemoStore = z.infer<typeof DemoStore>;

export const CompletionScript = z
  .object({ shell: z.string(), script: z.string() })
  .meta({ id: "CompletionScript", description: "A script that makes a shell complete command lines." });
export type CompletionScript = z.infer<typeof CompletionScript>;
