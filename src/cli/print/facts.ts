/** Prints what is said of a thing, and tables of things: the facts and columns that pages show too (src/presentation/facts/). */
import type { FoundKind } from "../../api/find.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import {
  type ColumnChoice,
  chosenColumns,
  type Part,
  partTitle,
  type Column as Said,
} from "../../presentation/facts/column.ts";
import {
  type Fact,
  type FactGroup,
  type FactValue,
  fact,
  isAbsent,
  shortFacts,
} from "../../presentation/facts/fact.ts";
import { INVOCATION_COLUMNS } from "../../presentation/facts/invocation.ts";
import { age, count, duration, heartbeatAge, NOTHING, shortId, visible, visibleLine } from "../../presentation/text.ts";
import { KIND_LABELS } from "../../presentation/thing-links.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import { namedValueLines } from "./arguments.ts";
import type { Output } from "./output.ts";
import type { Cell, Column } from "./table.ts";
import { facts, heading, indented, runnerText, valueLines, withoutStatus } from "./text.ts";
import { wrapped } from "./wrapped.ts";
import { time } from "./zone.ts";

/** Its id and the facts that say something, aligned. @param hide keys of those that are printed elsewhere. */
export function factLines(
  kind: FoundKind,
  id: string,
  groups: readonly FactGroup[],
  out: Output,
  hide: readonly string[] = [],
): string[] {
  return linesOf(
    [fact("id", KIND_LABELS[kind], id), ...shortFacts(groups).filter(({ key }) => !hide.includes(key))],
    out,
  );
}

/** Facts under a heading; stored values take as many lines as they have. */
export function groupLines(group: readonly Fact[], out: Output): string[] {
  const shown = group.filter(({ value }) => !isAbsent(value));
  const [long, short] = [shown.filter(isStored), shown.filter((fact) => !isStored(fact))];
  return indented([...linesOf(short, out), ...long.flatMap((fact) => storedLines(fact, out))]);
}

function linesOf(shown: readonly Fact[], out: Output): string[] {
  return facts(
    shown.map(({ label, value }) => [label, visibleLine(fittingText(value, out))] as const),
    out,
  );
}

/** The id of a call has no place to break: where it does not fit beside its label, it is shortened. */
function fittingText(value: FactValue, out: Output): string {
  const long =
    value !== null &&
    typeof value === "object" &&
    "call" in value &&
    value.call.length > (out.width ?? Number.POSITIVE_INFINITY) - LABEL;
  return textOf(value, long ? 0 : null);
}

/** Columns of a label and the gap after it. */
const LABEL = 16;

function isStored({ value }: Fact): boolean {
  return value !== null && typeof value === "object" && ("stored" in value || "values" in value);
}

function storedLines({ label, value }: Fact, out: Output): string[] {
  if (value === null || typeof value === "string") return [];
  if ("stored" in value) return [label, ...indented(valueLines(value.stored, out))];
  return "values" in value && value.values.length > 0 ? [label, ...namedValueLines(value.values, out)] : [];
}

/** Remarks on the answer. */
export function noteLines(notes: readonly string[], out: Output): string[] {
  if (notes.length === 0) return [];
  const room = out.width === null ? null : out.width - 6;
  return ["", ...notes.flatMap((note) => wrapped(`Note: ${visible(note)}`, room))];
}

/** A table about a thing under its heading; prints nothing without rows. */
export function printPart(part: Part, out: Output, now: number): void {
  printRows(part.columns, part.rows, out, { ...part, title: partTitle(part), now });
  if (part.rows.length > 0 && part.note) out.say(part.note);
}

/** How a table is printed. */
export interface Printed extends ColumnChoice {
  /** Printed above it; nothing is printed without rows. */
  title?: string;
  /** For ages, if there is no room for times. */
  now: number;
}

/** A table of invocations under a heading; prints nothing if there are none. */
export function printInvocations(title: string, rows: readonly InvocationRow[], now: number, out: Output): void {
  printRows(INVOCATION_COLUMNS, rows, out, { title, now });
}

/** A table of things; prints nothing without rows. Columns in which no row has anything are left out. */
export function printRows<Row>(
  columns: readonly Said<Row>[],
  rows: readonly Row[],
  out: Output,
  { title, now, ...choice }: Printed,
): void {
  if (rows.length === 0) return;
  if (title !== undefined) out.lines(heading(title, out));
  const shown = chosenColumns(columns, choice)
    .filter(({ page }) => !page)
    .sort((a, b) => Number(a.last ?? false) - Number(b.last ?? false))
    .map((column) => printedColumn(column, rows, out, now));
  out.table(shown, rows, title === undefined ? "" : "  ");
}

function printedColumn<Row>(column: Said<Row>, rows: readonly Row[], out: Output, now: number): Column<Row> {
  const { label, value, align, optional, min } = column;
  const sample = rows.map(value).find((one) => !isAbsent(one)) ?? null;
  return {
    title: label.toUpperCase(),
    cell: (row) => painted(value(row), out),
    narrow: (row) => painted(value(row), out, now),
    ...(align === "end" ? { align: "right" as const } : {}),
    ...fitOf(sample),
    ...(optional ? { optional } : {}),
    ...(min === undefined ? {} : { min }),
  };
}

/** Ids keep both ends, dotted names their end, and texts their beginning; figures and times are never cut. */
function fitOf(value: FactValue): Pick<Column<never>, "cut" | "min"> {
  if (value === null || typeof value === "string") return { cut: "end", min: 12 };
  if ("id" in value || "call" in value || "runner" in value) return { cut: "middle", min: 13 };
  if ("task" in value) return { cut: "start", min: 14 };
  if ("time" in value || "seconds" in value || "count" in value) return {};
  if ("parts" in value) return fitOf(value.parts[0] ?? null);
  return { cut: "end", min: "text" in value || "list" in value ? 12 : 10 };
}

function painted(value: FactValue, out: Output, now: number | null = null): Cell {
  const text = textOf(value, now);
  if (value === null || typeof value === "string") return { text };
  if ("status_of" in value && value.status_of.status_source !== "none")
    return inColour(value.status_of.status, text, out);
  if ("status" in value) return inColour(value.status, text, out);
  if ("mark" in value && (value.tone === "warn" || value.tone === "bad")) return { text, paint: out.paint.warning };
  return { text };
}

function inColour(status: string, text: string, out: Output): Cell {
  return { text, paint: (shown) => out.paint.status(status, shown) };
}

/** A value on one line. @param now shortens it: ids by their digits, times to ages. */
export function textOf(value: FactValue, now: number | null = null): string {
  const id = (whole: string) => (now === null ? whole : shortId(whole));
  if (value === null) return NOTHING;
  if (typeof value === "string") return value;
  if ("text" in value) return value.text;
  if ("mark" in value) return value.mark;
  if ("time" in value) {
    const since = value.ago === undefined ? "" : heartbeatAge(value.ago);
    if (now === null) return since === "" ? time(value.time) : `${time(value.time)} (${since})`;
    const epoch = value.time === null ? null : epochFromIso(value.time);
    return since || (epoch === null ? time(value.time) : age(now - epoch));
  }
  if ("seconds" in value) {
    return value.seconds === null ? NOTHING : `${value.at_least ? "≥ " : ""}${duration(value.seconds)}`;
  }
  if ("count" in value) return value.count === null ? NOTHING : `${count(value.count)}${value.capped ? "+" : ""}`;
  if ("id" in value) return id(value.id);
  if ("task" in value) return value.task;
  if ("call" in value) return id(value.call);
  if ("runner" in value) return runnerText(value.runner, now === null);
  if ("status" in value) return value.status;
  if ("status_of" in value) return statusText(value.status_of);
  if ("invocation" in value) {
    const { invocation_id, task_id_key } = value.invocation;
    return [id(invocation_id), task_id_key ?? "", statusText(value.invocation)].filter((word) => word !== "").join(" ");
  }
  if ("stored" in value) return (value.stored.resolved ?? value.stored.stored).text;
  if ("values" in value) {
    return (
      value.values.map(({ name, value: stored }) => `${name} = ${textOf({ stored }, now)}`).join(", ") || value.none
    );
  }
  if ("parts" in value) return value.parts.map((part, index) => partText(part, index, now)).join(" ");
  const more = value.more ? [`${count(value.more)} more`] : [];
  const joint = value.joint === undefined ? ", " : ` ${value.joint} `;
  return [...value.list.map((one) => textOf(one, now)), ...more].join(joint);
}

/** Remarks on the first part. */
function partText(part: FactValue, index: number, now: number | null): string {
  const text = textOf(part, now);
  const remark = index > 0 && part !== null && typeof part === "object" && "mark" in part;
  return remark ? `(${text})` : text;
}

function statusText({
  status,
  status_source,
  task_id_key,
}: {
  status: string;
  status_source: string;
  task_id_key: string | null;
}): string {
  return status_source === "none" ? withoutStatus(task_id_key) : status;
}
