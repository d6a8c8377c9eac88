import { question } from "./model/declare.ts";

export const config = question({
  name: "config",
  area: "health",
  summary: "show every setting, and where it came from",
  command: {
    usage: "config",
    group: "checks",
    rows: [{ in: "groups.rows", id: ["field"] }],
    examples: ["monitor config", "monitor config --config pynenc.toml", "monitor config --json | jq .problems"],
  },
  answers: async () => [(await import("../api/config.ts")).ConfigReport],
});
