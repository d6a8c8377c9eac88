import { onOff, text } from "../inputs/parameter.ts";
import { workflowRunsInput } from "../inputs/workflows.ts";
import { data, page, question, refresh } from "./model/declare.ts";

const answers = () => import("../api/workflows.ts");
const runs = { answer: async () => (await answers()).WorkflowRunList, input: workflowRunsInput };

export const workflows = question({
  name: "workflows",
  area: "workflows",
  summary: "list workflow types, or their runs",
  input: {
    workflow_type_key: text("list the runs of this type: module.function", {
      flag: "--type <key>",
      completion: "workflow_type",
    }),
    ...workflowRunsInput,
  },
  addresses: [
    page("/workflows/", { summary: "Workflow types", input: {} }),
    { ...refresh("/workflows/refresh", "the list of workflow types"), input: {} },
    page("/workflows/runs", { ...runs, summary: "Workflow runs of all types" }),
    { ...refresh("/workflows/runs/refresh", "the list of workflow runs"), ...runs },
    page("/workflows/:type_key", { ...runs, summary: "Workflow runs of one type" }),
    { ...refresh("/workflows/:type_key/refresh", "the runs of one type"), ...runs },
    data("/workflows/debug", {
      summary: "What workflows are made from, for development",
      answer: async () => (await answers()).WorkflowDebug,
    }),
  ],
  command: {
    usage: "workflows",
    group: "things",
    rows: [
      { in: "types", id: ["workflow_type_key"] },
      { in: "runs", id: ["workflow_id"] },
    ],
    examples: ["monitor workflows", "monitor workflows --runs", "monitor workflows --type shop.orders.checkout"],
    options: {
      runs: onOff("list the runs of all types, newest first", { flag: "--runs" }),
    },
    watch: true,
  },
  async answers() {
    const { WorkflowRunList, WorkflowTypeList } = await answers();
    return [WorkflowTypeList, WorkflowRunList];
  },
});
