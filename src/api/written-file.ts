/** A file that a command wrote. */
import { z } from "zod";
import { FILE_FORMATS, TIMELINE_FORMATS } from "./words.ts";

export const WrittenFile = z
  .object({
    path: z.string().describe("As it was given."),
    format: z.enum([...FILE_FORMATS, "html", ...TIMELINE_FORMATS]),
    invocations: z.int().describe("How many are in it."),
    notes: z.array(z.string()).describe("What was left out."),
  })
  .meta({
    id: "WrittenFile",
    description: "A file that was written: what `--json` prints of `export`, `bundle`, and `timeline --out`.",
  });
export type WrittenFile = z.infer<typeof WrittenFile>;
