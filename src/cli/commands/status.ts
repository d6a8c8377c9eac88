import type { StatusAt, StatusReport } from "../../api/health.ts";
import { shellWord } from "../../config/shell-word.ts";
import { linksTo } from "../../presentation/links.ts";
import { count, visibleLine } from "../../presentation/text.ts";
import { withSteps } from "../../presentation/verdict-steps.ts";
import { nothingWrong } from "../../pynenc/nothing-wrong.ts";
import { coarse, counted } from "../../pynenc/numbers.ts";
import { isKnownStatus, statusInfo } from "../../pynenc/statuses.ts";
import { status } from "../../questions/status.ts";
import { statusReport } from "../../services/health/status.ts";
import { statusAt } from "../../services/stats/status-at.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts, indented } from "../print/text.ts";
import { notCheckedLines, verdictHeads } from "../print/verdicts.ts";
import { time } from "../print/zone.ts";
import { withApp } from "../session.ts";

/** The exit code if the counts are not known. */
const NOT_KNOWN = 1;

/** `monitor status`: counts and what looks wrong, or the counts at an instant of the past. */
export async function run(flags: Flags): Promise<void> {
  const raw = rawInput(flags, status.input);
  await withApp(flags, async (app, out) => {
    if (raw.at !== undefined) {
      const report = await inFlagWords(status.input, () => statusAt(app, raw));
      if (report.statuses === null) process.exitCode = NOT_KNOWN;
      if (out.json) return out.document(report);
      return printStatusAt(report, out);
    }
    const report = withSteps(await linksTo(app), await statusReport(app));
    if (out.json) return out.document(report);
    if (report.verdicts.length > 0) {
      const name = await app.addressedAs();
      const command = `monitor why${name === null ? "" : ` --app ${shellWord(name)}`}`;
      const why = `${out.paint.dim("$")} ${visibleLine(command)}`;
      out.lines([out.paint.bold("Problems"), ...verdictHeads(report.verdicts, out), ...indented([why]), ""]);
    }
    out.lines([...facts(overview(report), out), ""]);
    out.table(columns(out), Object.entries(report.statuses));
    if (report.verdicts.length === 0) out.say("", `${nothingWrong(report.not_looked_at)}.`);
    out.say(...notCheckedLines(report.not_looked_at, out));
    if (report.queue_note !== null) out.say("", report.queue_note);
  });
}

function printStatusAt(
  { app_id, location, at, invocations, statuses, why_not, not_known }: StatusAt,
  out: Output,
): void {
  const known = invocations === null ? `not known: ${why_not}` : count(invocations);
  out.lines(
    facts(
      [
        ["App", visibleLine(app_id)],
        ["Store", visibleLine(location)],
        ["As of", time(at)],
        ["Invocations", known],
      ],
      out,
    ),
  );
  if (statuses !== null) {
    out.lines([""]);
    out.table(columns(out), Object.entries(statuses));
  }
  out.say("", `Not known for that time: ${not_known.join(", ")}.`);
}

function overview(report: StatusReport): [string, string][] {
  const { app_id, location, layout, queue, runners, events } = report;
  const some =
    queue.waiting !== null && queue.waiting !== queue.messages ? `; ${count(queue.waiting)} of them waiting` : "";
  const waits = queue.oldest_seconds === null ? some : `${some}, the oldest for ${coarse(queue.oldest_seconds)}`;
  const recorded = events && [
    `${count(events.recorded)} recorded`,
    `${count(events.matched)} matched`,
    `${count(events.triggered)} triggered`,
    counted(events.codes, "code"),
    counted(events.trigger_runs, "trigger run"),
  ];
  return [
    ["App", visibleLine(app_id)],
    ["Store", visibleLine(location)],
    ["Layout", `pynenc ${layout.label}`],
    [
      report.queues.length > 1 ? "Queues" : "Queue",
      queue.messages === null ? "unreachable" : `${counted(queue.messages, "message")}${byQueue(report)}${waits}`,
    ],
    ["Runners", `${count(runners.active)} active, ${count(runners.known)}${runners.known_capped ? "+" : ""} known`],
    ["Events", recorded === null ? "not recorded before pynenc 0.2.4" : recorded.join(", ")],
    ["Invocations", invocationsInWords(report)],
  ];
}

/** ` (default 5, mail 10)`: queues with messages; empty if the only queue has no name. */
function byQueue({ queues }: StatusReport): string {
  const filled = queues.filter(({ queue_name, messages }) => queue_name !== null && messages > 0);
  const words = filled
    .slice(0, QUEUES_NAMED)
    .map((one) => `${visibleLine(one.queue_name ?? "")} ${count(one.messages)}`);
  if (filled.length > QUEUES_NAMED) words.push(`${count(filled.length - QUEUES_NAMED)} more`);
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

const QUEUES_NAMED = 5;

function invocationsInWords({
  invocations,
  forgotten_invocations: forgotten,
  invocations_complete,
}: StatusReport): string {
  const least = invocations_complete ? "" : "at least ";
  if (forgotten === 0) return `${least}${count(invocations)}`;
  return `${least}${count(invocations)}, ${count(forgotten)} of them without a status, counted by their history`;
}

function columns(out: Output): Column<[word: string, count: number]>[] {
  const faint = (n: number) => (n === 0 ? { paint: out.paint.dim } : {});
  return [
    { title: "COUNT", align: "right", cell: ([, n]) => ({ text: count(n), ...faint(n) }) },
    {
      title: "STATUS",
      cell: ([word, n]) => ({
        text: word,
        paint: (text) => (n === 0 ? out.paint.dim(text) : out.paint.status(word, text)),
      }),
    },
    {
      title: "MEANING",
      cell: ([word]) => ({
        text: statusInfo(word).meaning,
        paint: isKnownStatus(word) ? out.paint.dim : out.paint.warning,
      }),
      cut: "end",
      min: 20,
      optional: true,
    },
  ];
}
