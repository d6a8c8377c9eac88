import { metricsOfNow } from "../../services/health/metrics.ts";
import type { Flags } from "../flags.ts";
import { withApp } from "../session.ts";

/** `monitor metrics`: the metrics of a server's `/metrics`, without those that are counted over time. */
export async function run(flags: Flags): Promise<void> {
  await withApp(flags, async (app, out) => {
    const [found, { metricsList, metricsText }] = await Promise.all([
      metricsOfNow(app),
      import("../../presentation/metrics-text.ts"),
    ]);
    if (out.json) return out.document(metricsList(found));
    out.lines([metricsText(found, null).trimEnd()]);
  });
}
