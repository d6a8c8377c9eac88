import { page, question, refresh } from "./model/declare.ts";

export const orchestrator = question({
  name: "orchestrator",
  area: "components",
  summary: "show statuses, waits and recovery",
  addresses: [page("/orchestrator/"), refresh("/orchestrator/refresh", "the orchestrator page")],
  answers: async () => [(await import("../api/components.ts")).OrchestratorOverview],
  ask: async (app) => (await import("../services/components/orchestrator.ts")).orchestratorOverview(app),
});
