/** Metrics for monitoring systems, as plain data. */
import { z } from "zod";

export const MetricList = z
  .object({
    app_id: z.string(),
    metrics: z.array(
      z.object({
        name: z.string(),
        type: z.enum(["gauge", "counter", "histogram"]),
        help: z.string(),
        samples: z.array(z.object({ labels: z.record(z.string(), z.string()), value: z.number() })),
      }),
    ),
  })
  .meta({ id: "MetricList", description: "The metrics of an app that hold for now; those that count need a server." });
export type MetricList = z.infer<typeof MetricList>;
