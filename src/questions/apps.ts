import { appsInput } from "../inputs/health.ts";
import { page, question } from "./model/declare.ts";

export const apps = question({
  name: "apps",
  area: "health",
  summary: "list the apps in the store",
  addresses: [
    page("/apps/", { summary: "The apps of the store, with what is wrong and how each is doing", input: appsInput }),
    {
      method: "GET",
      path: "/switch-app/:app_id",
      summary: "Shows another app from now on",
      answer: null,
      forms: [],
      redirects: true,
    },
  ],
  command: {
    usage: "apps",
    group: "checks",
    rows: [{ in: "apps", id: ["app_id"] }],
    examples: ["monitor apps --db app.db", "monitor apps --json | jq -r '.apps[].app_id'"],
  },
  answers: async () => {
    const { AppList, AppOverview } = await import("../api/app.ts");
    return [AppOverview, AppList];
  },
});
