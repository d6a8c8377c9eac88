import { invocationFilter, outFile } from "../inputs/common.ts";
import { onOff, text } from "../inputs/parameter.ts";
import { question } from "./model/declare.ts";

/** A file for people. */
export const bundle = question({
  name: "bundle",
  area: "invocations",
  summary: "write an HTML file about some invocations, to send around",
  details:
    "Takes an id of an invocation, workflow run, event or trigger run, or a search. The file holds the verdict, the family, details, history and lines of logs; it opens from disk and needs neither network nor scripts. Secrets are masked (docs/exports.md).",
  input: invocationFilter,
  command: {
    usage: "bundle [query...]",
    group: "time",
    examples: [
      "monitor bundle 93041383 -o report.html",
      "monitor bundle 93041383 --logs worker.log --logs beat.log -o report.html",
      "monitor bundle status:failed since:1h --no-values -o failures.html",
    ],
    options: {
      ...outFile,
      out: text("the file to write (- for standard output), required; it appears when it is complete", {
        flag: "-o, --out <file>",
      }),
      logs: text("add the lines of this log that name the invocations; repeatable", {
        flag: "--logs <file>",
        repeatable: true,
      }),
      values: onOff("leave out arguments, results, payloads and messages of exceptions", { flag: "--no-values" }),
    },
    exits: "Exits with 3 if nothing is found.",
  },
  answers: async () => [(await import("../api/written-file.ts")).WrittenFile],
});
