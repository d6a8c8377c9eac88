/** Errors. */
import { z } from "zod";

export const Failure = z
  .object({
    type: z.literal("about:blank"),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    hint: z.string().exactOptional(),
    errors: z.array(z.object({ parameter: z.string(), value: z.string(), accepted: z.string() })).exactOptional(),
    elsewhere: z
      .array(z.object({ app_id: z.string(), path: z.string().describe("The address of its page there.") }))
      .exactOptional()
      .describe("Other apps of the store that have what was not found."),
    error_id: z.string().exactOptional().describe("Finds the entry in the log; only for defects."),
    success: z.literal(false).exactOptional().describe("On failed actions, for clients of pynenc's own monitor."),
    message: z.string().exactOptional(),
  })
  .meta({
    id: "Failure",
    description: "`application/problem+json` (RFC 9457) plus the problems of single parameters.",
  });
export type Failure = z.infer<typeof Failure>;

export const CommandFailure = Failure.extend({
  status: z.int().exactOptional().describe("The HTTP status of the same failure; absent where there is none."),
  exit_code: z.int(),
}).meta({ id: "CommandFailure", description: "How a command with `--json` says on stderr why it failed." });
export type CommandFailure = z.infer<typeof CommandFailure>;
