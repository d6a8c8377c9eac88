import { question } from "./model/declare.ts";

export const apps = question({
  name: "apps",
  area: "health",
  summary: "list the apps in the store",
  addresses: [
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
    examples: ["monitor apps --db app.db", "monitor apps --json | jq -r '.apps[].app_id'"],
  },
  answers: async () => [(await import("../api/app.ts")).AppList],
});
