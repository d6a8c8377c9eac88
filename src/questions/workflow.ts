import { workflowInput } from "../inputs/workflows.ts";
import { page, question } from "./model/declare.ts";

export const workflow = question({
  name: "workflow",
  area: "workflows",
  summary: "show one workflow run: its steps and data",
  input: workflowInput,
  addresses: [page("/workflows/runs/:workflow_id")],
  command: {
    usage: "workflow <id>",
    group: "things",
    examples: ["monitor workflow 7f7489d9", "monitor workflow 7f7489d9 --json | jq .data"],
    shows: "workflow",
  },
  answers: async () => [(await import("../api/workflows.ts")).WorkflowRunDetail],
});
