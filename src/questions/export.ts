import { FILE_FORMATS } from "../api/words.ts";
import { invocationFilter, outFile } from "../inputs/common.ts";
import { exportLimit } from "../inputs/invocations.ts";
import { onOff, word } from "../inputs/parameter.ts";
import { question } from "./model/declare.ts";

/** Files for other programs. */
export const exportFile = question({
  name: "export",
  area: "invocations",
  summary: "write invocations as traces, tables or a timeline file",
  details:
    "Secrets are masked in arguments and messages. otlp is OTLP/JSON, one request in a line; invocations that have not ended are left out of it, because a span needs an end. perfetto holds 5,000 invocations at most; the other formats hold all that match (docs/exports.md).",
  input: { ...invocationFilter, limit: exportLimit },
  command: {
    usage: "export [query...]",
    group: "time",
    examples: [
      "monitor export --format otlp since:1h -o traces.jsonl",
      "monitor export --format parquet -o invocations.parquet",
      "monitor export --format perfetto workflow:7f7489d9 -o run.trace.json",
    ],
    options: {
      format: word("what to write", FILE_FORMATS, {
        flag: "--format <format>",
        explained: { otlp: "OpenTelemetry traces" },
      }),
      ...outFile,
      values: onOff("leave out arguments and messages of exceptions", { flag: "--no-values" }),
    },
  },
  answers: async () => [(await import("../api/written-file.ts")).WrittenFile],
});
