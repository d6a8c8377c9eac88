import { LOG_LEVELS } from "../pynenc/log-levels.ts";
import { onOff, page, question, text, whole, word } from "./model/declare.ts";

const exploration = async () => (await import("../api/logs.ts")).LogExploration;

const input = {
  log: text("the log as text"),
  file: text("the log as a file of a form; it wins over `log`"),
  level: word("least severe level to show", LOG_LEVELS, { flag: "--level <level>" }),
  text: text("only entries that contain this text; case is ignored", { flag: "--grep <text>" }),
  reference: text("only entries that name this object: an id, its beginning, or kind:id"),
} as const;
const explored = {
  ...input,
  page: whole("page of the list", { least: 1, usual: 1 }),
  limit: whole("entries per page", { least: 1, most: 1_000, usual: 200 }),
};

export const logs = question({
  name: "logs",
  area: "logs",
  summary: "show log lines with the task and status of what they mention; - reads standard input",
  input,
  addresses: [
    page("/log-explorer/", { summary: "Log lines with what they name", answer: exploration, input: explored }),
    {
      ...page("/log-explorer/", {
        summary: "The same for a log that is sent as a body; nothing is changed",
        answer: exploration,
      }),
      method: "POST",
      body: explored,
    },
  ],
  command: {
    usage: "logs <file>",
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
  answers: async () => [(await import("../api/logs.ts")).LogLine],
});
