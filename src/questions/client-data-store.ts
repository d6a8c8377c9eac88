import { clientDataInput } from "../inputs/components.ts";
import { page, question } from "./model/declare.ts";

export const clientDataStore = question({
  name: "client-data-store",
  area: "components",
  summary: "show externalised values",
  input: clientDataInput,
  addresses: [page("/client-data-store/")],
  answers: async () => [(await import("../api/components.ts")).ClientDataOverview],
  ask: async (app, input) => (await import("../services/components/client-data.ts")).clientDataOverview(app, input),
});
