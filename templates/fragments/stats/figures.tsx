import type { ComponentChildren } from "preact";
import type { Verdict } from "../../../src/api/verdicts.ts";
import { changeInPoints, changeOfSize } from "../../../src/presentation/comparison.ts";
import type { Links } from "../../../src/presentation/links.ts";
import { count, duration, NOTHING, percentage, rate } from "../../../src/presentation/text.ts";
import { counted } from "../../../src/pynenc/numbers.ts";
import type { Overview } from "../../../src/services/health/dashboard.ts";
import { useLinks } from "../../links.ts";
import { Time } from "../ui/time.tsx";
import { type HeadedChart, type StripChart, StripCharts } from "./stats-strip.tsx";

export interface Figure {
  label: string;
  value: string;
  /** Of the value, in the size of text. */
  unit?: string;
  /** What the value is a part of. */
  hint: ComponentChildren;
  href: string;
  /** What it counts, where its label leaves that open. */
  title?: string;
  bad?: boolean;
  /** Against another range, whose value is in the title. */
  trend?: { text: string; before: string } | null | undefined;
}

type WithVerdicts = Overview & { verdicts: readonly Verdict[] };

/** Five figures of the range, each with its course over time where that is known, and a link to what explains it. */
export function Figures({ model, now }: { model: WithVerdicts; now: string }) {
  const links = useLinks();
  const { recent } = model;
  // Queue and runners are those of this moment, whatever the range.
  const moment = Date.parse(model.range.to) < Date.parse(now) ? " now" : "";
  const figures: { chart: StripChart; figure: Figure }[] = [
    ...(recent === null ? unread(model.recent_note, links) : ofRange(recent, model, links)),
    { chart: "queued", figure: queueFigure(model, links, moment) },
    { chart: "running", figure: runnersFigure(model, links, moment) },
  ];
  const charts = figures.map(
    ({ chart, figure }) => ({ chart, head: <FigureHead {...figure} /> }) satisfies HeadedChart,
  );
  return (
    <section class="card stats-strip figures" aria-label="Figures">
      {recent === null ? (
        charts.map(({ chart, head }) => <div key={chart}>{head}</div>)
      ) : (
        <StripCharts stats={recent} href={(slice) => links.dashboard(slice)} charts={charts} tall />
      )}
    </section>
  );
}

/** A figure above its chart. */
export function FigureHead({
  label,
  value,
  unit,
  hint,
  href,
  title,
  bad = false,
  trend = null,
}: Figure): ComponentChildren {
  return (
    <a class={bad ? "figure figure-bad" : "figure"} href={href} title={title}>
      <span class="figure-label">{label}</span>
      <span>
        <span class="figure-value">{value}</span>
        {unit !== undefined && ` ${unit}`} {trend !== null && <span title={trend.before}>{trend.text}</span>}
      </span>
      <span>{hint}</span>
    </a>
  );
}

/** In the places of the figures of a range that has not been read. Without figures over time there are none. */
function unread(note: string | null, links: Links): { chart: StripChart; figure: Figure }[] {
  if (note === null) return [];
  const figure = { value: NOTHING, hint: "still being read" };
  return [
    { chart: "failed", figure: { ...figure, label: "Failed", href: links.failures(links.timeRange) } },
    { chart: "finished", figure: { ...figure, label: "Throughput", href: links.stats(links.timeRange) } },
    { chart: "wait", figure: { ...figure, label: "Wait p95", href: links.stats(links.timeRange) } },
  ];
}

function ofRange(
  { total, complete }: NonNullable<Overview["recent"]>,
  { before = null, verdicts }: Pick<WithVerdicts, "before" | "verdicts">,
  links: Links,
): { chart: StripChart; figure: Figure }[] {
  const soFar = complete ? "" : " so far";
  const { failed_share: share, wait } = total;
  return [
    {
      chart: "failed",
      figure: {
        label: "Failed",
        value: share === null ? NOTHING : percentage(share),
        hint:
          share === null ? `nothing finished${soFar}` : `${count(total.failed)} of ${count(total.finished)}${soFar}`,
        href: links.failures(links.timeRange),
        bad: verdicts.some(({ code, muted_until }) => code === "failure_rate_up" && muted_until === null),
        trend:
          share === null || before?.failed_share == null
            ? null
            : {
                text: changeInPoints(share - before.failed_share),
                before: `${percentage(before.failed_share)} ${BEFORE} (pp: percentage points)`,
              },
      },
    },
    {
      chart: "finished",
      figure: {
        label: "Throughput",
        value: rate(total.per_minute),
        unit: "per minute",
        hint: `${count(total.finished)} finished${soFar}`,
        href: links.stats(links.timeRange),
        trend: sizeTrend(total.per_minute, before?.per_minute ?? null, rate),
      },
    },
    {
      chart: "wait",
      figure: {
        label: "Wait p95",
        value: wait.p95_seconds === null ? NOTHING : duration(wait.p95_seconds),
        hint:
          wait.p50_seconds === null
            ? `nothing started${soFar}`
            : `started invocations; median ${duration(wait.p50_seconds)}`,
        href: links.stats({ ...links.timeRange, sort: "wait" }),
        title: "Of the invocations that started in this range: those that still wait are not among them",
        trend: sizeTrend(wait.p95_seconds, before?.wait.p95_seconds ?? null, duration),
      },
    },
  ];
}

const BEFORE = "in the range before, of the same length";

function sizeTrend(value: number | null, before: number | null, words: (value: number) => string): Figure["trend"] {
  if (value === null || before === null || value === 0 || before === 0) return null;
  return { text: changeOfSize(value / before), before: `${words(before)} ${BEFORE}` };
}

function queueFigure(
  { overview: { queued_messages: queued, queues } }: Overview,
  links: Links,
  moment: string,
): Figure {
  const [oldest] = queues.flatMap(({ oldest_queued_at }) => oldest_queued_at ?? []).sort();
  const waiting =
    oldest === undefined ? (
      "waiting"
    ) : (
      <>
        oldest <Time iso={oldest} relative="for" minute />
      </>
    );
  return {
    label: `Queue${moment}`,
    value: queued === null ? NOTHING : count(queued),
    // The chart counts invocations.
    ...(queued !== null && { unit: queued === 1 ? "message" : "messages" }),
    hint: queued === null ? "cannot be reached" : queued === 0 ? "nothing waits" : waiting,
    href: links.queue(),
  };
}

function runnersFigure(
  { overview: { active_runners: active, queued_messages: queued }, busy, statuses }: Overview,
  links: Links,
  moment: string,
): Figure {
  // As in the chart. Nothing executes what recovery took over.
  const running = statuses.filter(({ status }) => status === "running" || status === "resumed");
  const silent = busy?.silent
    ? ` Invocations left on ${counted(busy.silent, "silent runner")} still count as running.`
    : "";
  return {
    label: `Runners${moment}`,
    value: busy === undefined || active === 0 ? count(active) : `${count(busy.runners)}${busy.capped ? "+" : ""}`,
    ...(active > 0 && { unit: busyUnit(active, busy) }),
    hint:
      active === 0
        ? "none is active"
        : `running invocations: ${count(running.reduce((sum, one) => sum + one.count, 0))}`,
    href: links.runners(),
    ...(busy?.workers && {
      title: `Runners that only manage child workers are not counted as workers.${silent} Each bar of the chart: invocations running at its end.`,
    }),
    bad: active === 0 && (queued ?? 0) > 0,
  };
}

function busyUnit(active: number, busy: Overview["busy"]): string {
  if (busy === undefined) return "active";
  return busy.workers ? `of ${counted(busy.workers, "worker")} busy` : `busy of ${count(active)} active`;
}
