import { paging } from "./model/common-input.ts";
import { page, question, text } from "./model/declare.ts";

export const clientDataStore = question({
  name: "client-data-store",
  area: "components",
  summary: "show externalised values",
  input: { reference: text("the value to show: a full reference or its key"), ...paging() },
  addresses: [page("/client-data-store/")],
  answers: async () => [(await import("../api/components.ts")).ClientDataOverview],
  ask: async (app, input) => (await import("../services/components/client-data.ts")).clientDataOverview(app, input),
});
