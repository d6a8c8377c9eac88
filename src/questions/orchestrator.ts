import { page, refresh } from "./model/addresses.ts";
import { question } from "./model/question.ts";

export const orchestrator = question({
  name: "orchestrator",
  area: "components",
  summary: "show statuses, waits and recovery",
  input: {},
  addresses: [page("/orchestrator/"), refresh("/orchestrator/refresh", "the orchestrator page")],
  command: null,
  answers: async () => [(await import("../api/components.ts")).OrchestratorOverview],
});
