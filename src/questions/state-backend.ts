import { page } from "./model/addresses.ts";
import { question } from "./model/question.ts";

export const stateBackend = question({
  name: "state-backend",
  area: "components",
  summary: "show what the state backend holds",
  input: {},
  addresses: [page("/state-backend/")],
  command: null,
  answers: async () => [(await import("../api/components.ts")).StateBackendOverview],
});
