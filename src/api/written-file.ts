/** A file that a command wrote. */
import { z } from "zod";
import { FILE_FORMATS } from "./words.ts";

export const WrittenFile = z
  .object({
    path: z.string().describe("As it was given."),
    format: z.enum([...FILE_FORMATS, "html"]),
    invocations: z.int().describe("How many are in it."),
    notes: z.array(z.string()).describe("What was left out."),
  })
  .meta({ id: "WrittenFile", description: "A file that was written: what `export --json` and `bundle --json` print." });
export type WrittenFile = z.infer<typeof WrittenFile>;
