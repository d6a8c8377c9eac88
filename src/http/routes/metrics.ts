import { appMetrics } from "../../services/health/metrics.ts";
import type { Route } from "../context.ts";

export const metricsRoutes: Route[] = [
  {
    method: "GET",
    path: "/metrics",
    json: true,
    probe: true,
    async handle({ server, app, pinned }) {
      const opened = await (pinned === null ? server.workspace.openFirst() : app());
      const [metrics, { METRICS_TYPE, metricsText }] = await Promise.all([
        appMetrics(opened),
        import("../../presentation/metrics-text.ts"),
      ]);
      const text = metricsText(metrics, {
        version: server.version,
        started_at: performance.timeOrigin / 1000,
        resident_bytes: process.memoryUsage.rss(),
      });
      return new Response(text, { headers: { "content-type": METRICS_TYPE, "cache-control": "no-store" } });
    },
  },
];
