/** Apps of a store. */
import { z } from "zod";

export const AppEntry = z
  .object({
    app_id: z.string(),
    active: z.boolean(),
    phantom: z.boolean().describe("Registered without invocations: usually the trace of a process that only looked."),
    module: z.string().nullable(),
  })
  .meta({ id: "AppEntry" });
export type AppEntry = z.infer<typeof AppEntry>;

export const LastLook = z
  .object({ app: z.string().nullable().describe("The active app."), store: z.enum(["ok", "unreachable"]) })
  .meta({ id: "LastLook", description: "How the last look at the store went." });
export type LastLook = z.infer<typeof LastLook>;
