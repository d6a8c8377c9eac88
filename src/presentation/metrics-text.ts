/** The metrics in the formats of Prometheus and of scripts. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { MetricList } from "../api/metrics.ts";
import type { AppMetrics } from "../services/health/metrics.ts";
import { type DurationCounts, type Labels, METRICS, type ServerFigures } from "./metrics.ts";
import { visibleLine } from "./text.ts";

/** Maximum code points of a label. */
const LABEL_LENGTH = 200;

export function metricsText(metrics: AppMetrics, server: ServerFigures | null): Promise<string> {
  return registryOf(metrics, server).metrics();
}

/** The media type of the text format. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

export async function metricsList(metrics: AppMetrics): Promise<MetricList> {
  const families = await registryOf(metrics, null).getMetricsAsJSON();
  const typeOf = new Map(METRICS.map(({ name, type }) => [name, type]));
  return {
    app_id: metrics.app_id,
    metrics: families.map(({ name, help, values }) => ({
      name,
      type: typeOf.get(name) ?? "gauge",
      help,
      samples: values.map(({ labels, value }) => ({
        labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)])),
        value,
      })),
    })),
  };
}

function registryOf(metrics: AppMetrics, server: ServerFigures | null): Registry {
  const registry = new Registry();
  for (const metric of METRICS) {
    const shared = { name: metric.name, help: metric.help, labelNames: ["app", ...metric.labels], registers: [] };
    if (metric.type === "histogram") {
      const samples = metric.samples(metrics);
      if (samples.length === 0) continue;
      const histogram = new CountedHistogram({ ...shared, buckets: [...(metrics.arrived?.bounds ?? [])] });
      for (const [labels, durations] of samples) histogram.add(labelled(metrics, labels), durations);
      registry.registerMetric(histogram);
      continue;
    }
    const samples = metric.samples(metrics, server);
    if (samples.length === 0) continue;
    const made = metric.type === "gauge" ? new Gauge(shared) : new Counter(shared);
    // Values are added up, because different names may be shortened to the same label.
    for (const [labels, value] of samples) made.inc(labelled(metrics, labels), value);
    registry.registerMetric(made);
  }
  return registry;
}

function labelled({ app_id }: AppMetrics, labels: Labels): Record<string, string> {
  return Object.fromEntries(Object.entries({ app: app_id, ...labels }).map(([name, text]) => [name, labelText(text)]));
}

/** Names come from the store: invisible characters are marked, and long names are cut. */
function labelText(text: string): string {
  const points = [...visibleLine(text.slice(0, 2 * LABEL_LENGTH))];
  return points.length <= LABEL_LENGTH ? points.join("") : `${points.slice(0, LABEL_LENGTH - 1).join("")}…`;
}

/** A histogram whose durations have been counted elsewhere. */
class CountedHistogram extends Histogram<string> {
  readonly #about: { name: string; help: string };
  readonly #bounds: readonly number[];
  readonly #counted = new Map<string, { labels: Labels; durations: DurationCounts }>();

  constructor(configuration: {
    name: string;
    help: string;
    labelNames: string[];
    buckets: number[];
    registers: never[];
  }) {
    super(configuration);
    this.#about = { name: configuration.name, help: configuration.help };
    this.#bounds = configuration.buckets;
  }

  add(labels: Labels, { counts, sum }: DurationCounts): void {
    const key = JSON.stringify(labels);
    const known = this.#counted.get(key)?.durations ?? { counts: [], sum: 0 };
    const durations = { counts: counts.map((count, at) => count + (known.counts[at] ?? 0)), sum: sum + known.sum };
    this.#counted.set(key, { labels, durations });
  }

  /** What prom-client needs for output; its own histogram only accepts single observations. */
  async getForPromString() {
    const { name, help } = this.#about;
    const values = [...this.#counted.values()].flatMap(({ labels, durations: { counts, sum } }) => {
      let upTo = 0;
      const ranges = counts.map((count, at) => {
        upTo += count;
        const le = String(this.#bounds[at] ?? "+Inf");
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: upTo };
      });
      return [
        ...ranges,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: upTo },
      ];
    });
    return { name, help, type: "histogram", aggregator: "sum", values };
  }
}
