/** Prints previews and outcomes of actions. */
import type { ActionCount, AliveRunners } from "../../api/actions.ts";
import type { SettingRow } from "../../api/model/common.ts";
import { age, count, visible, visibleLine } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import type { Output } from "./output.ts";
import type { Column } from "./table.ts";
import { facts, heading, indented, runnerText } from "./text.ts";
import { wrapped } from "./wrapped.ts";

/** Title, app and store of an action. Further facts must be ready to print. */
export function printHead(
  title: string,
  { app_id, location }: { app_id: string; location: string },
  out: Output,
  further: readonly [string, string | null][] = [],
): void {
  out.lines([out.paint.bold(visibleLine(title)), ""]);
  out.lines(facts([["App", visibleLine(app_id)], ["Store", visibleLine(location)], ...further], out));
}

/** `7 rows`, or `about 7 rows` if there are too many to count. */
export function rowsText(counts: readonly ActionCount[]): string {
  const rows = counts.reduce((sum, row) => sum + row.rows, 0);
  return `${counts.some(({ exact }) => !exact) ? "about " : ""}${counted(rows, "row")}`;
}

/** A table of the counts that are not zero. @param what title of the name column; `NAME` adds a column for the component. */
export function printCounts(counts: readonly ActionCount[], what: "NAME" | "WHAT", out: Output): void {
  const columns: Column<ActionCount>[] = [
    { title: what, cell: ({ name }) => (what === "NAME" ? name : name.replaceAll("_", " ")), cut: "end", min: 20 },
    { title: "ROWS", align: "right", cell: ({ rows, exact }) => `${exact ? "" : "about "}${count(rows)}` },
  ];
  if (what === "NAME") columns.unshift({ title: "COMPONENT", cell: ({ component }) => component });
  const filled = counts.filter(({ rows }) => rows > 0);
  out.table(columns, filled, "  ");
}

/** Sentences under a heading; prints nothing if there are none. */
export function printPoints(title: string, sentences: readonly string[], out: Output): void {
  if (sentences.length === 0) return;
  const room = out.width === null ? null : out.width - 4;
  const points = sentences.flatMap((sentence) => {
    const [first = "", ...rest] = wrapped(visible(sentence), room);
    return [`  - ${first}`, ...indented(rest, "    ")];
  });
  out.lines([...heading(title, out), ...points]);
}

/** @param now ages of heartbeats count from here. */
export function printRunners(alive: AliveRunners, now: number, out: Output): void {
  const title = `Active runners${alive.takes_from === null ? "" : ` that take from ${visibleLine(alive.takes_from)}`}:`;
  if (alive.count === 0) {
    out.lines(["", `${out.paint.bold(title)} none`]);
    return;
  }
  const columns: Column<AliveRunners["runners"][number]>[] = [
    { title: "RUNNER", cell: (runner) => runnerText(runner), cut: "end", min: 20 },
    { title: "HEARTBEAT", cell: ({ last_heartbeat }) => age(now - (epochFromIso(last_heartbeat) ?? now)) },
  ];
  out.lines(heading(`${title} ${count(alive.count)}`, out));
  out.table(columns, alive.runners, "  ");
  const more = alive.count - alive.runners.length;
  if (more > 0) out.lines([`  and ${count(more)} more`]);
}

/** Effective values that decide what is removed. */
export function printSettings(settings: readonly SettingRow[], out: Output): void {
  const columns: Column<SettingRow>[] = [
    { title: "SETTING", cell: ({ field }) => field, cut: "middle", min: 24 },
    { title: "VALUE", align: "right", cell: settingText },
    { title: "ORIGIN", cell: ({ origin }) => origin, cut: "end", min: 12 },
    {
      title: "WARNING",
      cell: ({ warning }) => (warning === null ? "" : { text: warning, paint: out.paint.warning }),
      cut: "end",
    },
  ];
  out.table(columns, settings, "  ");
}

/** A limit of 0 means no limit, but reads as if nothing were kept. */
function settingText({ field, value, unit }: SettingRow): string {
  if (field.endsWith("_max_records") && value === "0") return "no limit";
  return unit === null ? value : `${value} ${unit}`;
}
