import { page } from "./model/addresses.ts";
import { question } from "./model/question.ts";

export const store = question({
  name: "store",
  area: "components",
  summary: "show the store: layout, components, size and settings",
  input: {},
  addresses: [page("/store/")],
  command: null,
  answers: async () => [(await import("../api/components.ts")).StoreReport],
});
