import { page, question } from "./model/declare.ts";

export const stateBackend = question({
  name: "state-backend",
  area: "components",
  summary: "show what the state backend holds",
  addresses: [page("/state-backend/")],
  answers: async () => [(await import("../api/components.ts")).StateBackendOverview],
  ask: async (app) => (await import("../services/components/state-backend.ts")).stateBackendOverview(app),
});
