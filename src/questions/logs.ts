import { logExplorerInput, logsInput } from "../inputs/logs.ts";
import { onOff, text } from "../inputs/parameter.ts";
import { page, question } from "./model/declare.ts";

const exploration = async () => (await import("../api/logs.ts")).LogExploration;

export const logs = question({
  name: "logs",
  area: "logs",
  summary: "show log lines with the task and status of what they name",
  details: "- reads standard input.",
  input: logsInput,
  addresses: [
    page("/log-explorer/", { summary: "Log lines with what they name", answer: exploration, input: logExplorerInput }),
    {
      ...page("/log-explorer/", {
        summary: "The same for a log that is sent as a body; nothing is changed",
        answer: exploration,
      }),
      method: "POST",
      body: logExplorerInput,
    },
  ],
  command: {
    usage: "logs <file>",
    group: "time",
    rows: [{ in: "", id: [] }],
    examples: [
      "monitor logs worker.log --level warning",
      "monitor logs worker.log --follow --base-url http://127.0.0.1:8000/",
      "docker logs worker 2>&1 | monitor logs - --json | jq -r '.references[].id'",
    ],
    options: {
      follow: onOff("wait for new lines, also when the file is rotated", { flag: "--follow" }),
      base_url: text("link ids to the monitor served at this address", { flag: "--base-url <url>" }),
    },
  },
  tool: {
    name: "logs",
    about: "Show the last entries of a log, with status and task of everything they name.",
    takes: ["file", "pasted", "level", "text"],
    options: {
      file: text("one of the log files that this server may read", { argument: "file" }),
      pasted: text("pasted lines, instead of a file", { argument: "text", longest: 1_000_000 }),
    },
    note: "Use it for log lines that the user pasted, or to read a log file that the server may read, if it has any. A log has its own times; there is no `at`.",
    answers: async () => [(await import("../api/logs.ts")).LogLines],
  },
  answers: async () => [(await import("../api/logs.ts")).LogLine],
});
