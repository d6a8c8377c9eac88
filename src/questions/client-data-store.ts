import { page } from "./model/addresses.ts";
import { paging } from "./model/common-input.ts";
import { text } from "./model/parameters.ts";
import { question } from "./model/question.ts";

export const clientDataStore = question({
  name: "client-data-store",
  area: "components",
  summary: "show externalised values",
  input: { reference: text("the value to show: a full reference or its key"), ...paging() },
  addresses: [page("/client-data-store/")],
  command: null,
  answers: async () => [(await import("../api/components.ts")).ClientDataOverview],
});
