/** The metrics in the formats of Prometheus and of scripts. */
import type { MetricList } from "../api/metrics.ts";
import type { AppMetrics } from "../services/health/metrics.ts";
import { METRICS, type Metric, type ServerFigures } from "./metrics.ts";
import { visibleLine } from "./text.ts";

/** Maximum code points of a label. */
const LABEL_LENGTH = 200;

/** The media type of the text format. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function metricsText(metrics: AppMetrics, server: ServerFigures | null): string {
  const families = familiesOf(metrics, server).map(({ name, type, help, samples }) =>
    [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix, labels, value }) => {
        const words = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
        return `${name}${suffix}{${words.join(",")}} ${value}`;
      }),
    ].join("\n"),
  );
  return `${families.join("\n\n")}\n`;
}

export function metricsList(metrics: AppMetrics): MetricList {
  const families = familiesOf(metrics, null).map(({ samples, ...family }) => {
    return { ...family, samples: samples.map(({ labels, value }) => ({ labels, value })) };
  });
  return { app_id: metrics.app_id, metrics: families };
}

interface WrittenSample {
  /** Behind the name of the metric: what of a histogram it is. */
  suffix: string;
  labels: Record<string, string>;
  value: number;
}

/** The metrics that have samples. */
function familiesOf(metrics: AppMetrics, server: ServerFigures | null) {
  return METRICS.flatMap((metric) => {
    const { name, type, help } = metric;
    const samples = samplesOf(metric, metrics, server);
    return samples.length === 0 ? [] : [{ name, type, help, samples }];
  });
}

function samplesOf(metric: Metric, metrics: AppMetrics, server: ServerFigures | null): WrittenSample[] {
  const samples = new Map<string, WrittenSample>();
  // Values are added up, because different names may be shortened to the same label.
  const add = (suffix: string, texts: readonly string[], value: number, more: Record<string, string> = {}) => {
    const own = metric.labels.map((label, at) => [label, labelText(texts[at] ?? "")]);
    const labels = { app: labelText(metrics.app_id), ...Object.fromEntries(own), ...more };
    const key = JSON.stringify([suffix, labels]);
    samples.set(key, { suffix, labels, value: value + (samples.get(key)?.value ?? 0) });
  };
  if (metric.type !== "histogram") {
    for (const [texts, value] of metric.samples(metrics, server)) add("", texts, value);
    return [...samples.values()];
  }
  const bounds = metrics.arrived?.bounds ?? [];
  for (const [texts, { counts, sum }] of metric.samples(metrics)) {
    let upTo = 0;
    for (const [at, count] of counts.entries()) {
      upTo += count;
      add("_bucket", texts, upTo, { le: String(bounds[at] ?? "+Inf") });
    }
    add("_sum", texts, sum);
    add("_count", texts, upTo);
  }
  return [...samples.values()];
}

/** Names come from the store: invisible characters are marked, and long names are cut. */
function labelText(text: string): string {
  const points = [...visibleLine(text.slice(0, 2 * LABEL_LENGTH))];
  return points.length <= LABEL_LENGTH ? points.join("") : `${points.slice(0, LABEL_LENGTH - 1).join("")}…`;
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, (character) => `\\${character}`);
}
