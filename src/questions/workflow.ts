import { limit, pageNumber } from "./model/common-input.ts";
import { page, question, withoutFlags } from "./model/declare.ts";

export const workflow = question({
  name: "workflow",
  area: "workflows",
  summary: "show one workflow run: its invocations, sub-workflows and data",
  input: withoutFlags({
    page: { ...pageNumber, meaning: "page of the members" },
    limit: limit(500, 50, "members of a page"),
    data_page: { ...pageNumber, meaning: "page of the data" },
  }),
  addresses: [page("/workflows/runs/:workflow_id")],
  command: {
    usage: "workflow <id>",
    examples: ["monitor workflow 0e5f93a1", "monitor workflow 0e5f93a1 --json | jq .data"],
    shows: "workflow",
  },
  answers: async () => [(await import("../api/workflows.ts")).WorkflowRunDetail],
});
