import { file, question } from "./model/declare.ts";

export const metrics = question({
  name: "metrics",
  area: "health",
  summary: "print the metrics of the app once, as Prometheus reads them",
  details:
    "These are the gauges of GET /metrics of a server (docs/metrics.md). Totals and durations are left out: they count what happens while a server runs.",
  addresses: [
    file("/metrics", ["text/plain"], {
      summary: "Metrics of an app in the text format of Prometheus (docs/metrics.md)",
    }),
  ],
  command: {
    usage: "metrics",
    group: "time",
    examples: ["monitor metrics", "monitor metrics > /var/lib/node_exporter/textfile/pynenc.prom"],
  },
  answers: async () => [(await import("../api/metrics.ts")).MetricList],
});
