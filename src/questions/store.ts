import { page, question } from "./model/declare.ts";

export const store = question({
  name: "store",
  area: "components",
  summary: "show the store: layout, components, size and settings",
  addresses: [page("/store/")],
  answers: async () => [(await import("../api/components.ts")).StoreReport],
  ask: async (app) => (await import("../services/components/store.ts")).storeReport(app),
});
