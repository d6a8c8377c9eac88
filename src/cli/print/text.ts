/** Text that several commands print. Everything that comes from a store is made visible here. */

import type { PageInfo } from "../../api/model/common.ts";
import type { RunnerName } from "../../api/model/runner-names.ts";
import type { ShownValue } from "../../api/model/values.ts";
import { age, count, duration, NOTHING, shortId, visible, visibleLine } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import type { DisplayValue } from "../../pynenc/values.ts";
import type { Output } from "./output.ts";
import type { Column } from "./table.ts";
import { wrapped } from "./wrapped.ts";
import { time } from "./zone.ts";

/** Characters of one value that a terminal shows without `--full`. */
const VALUE_CHARACTERS = 1_000;

/** Aligned names and values. A value of null or "" is left out. Values must be ready to print. */
export function facts(rows: readonly (readonly [name: string, value: string | null])[], out: Output): string[] {
  const shown = rows.filter(([, value]) => value !== null && value !== "");
  const width = Math.max(...shown.map(([name]) => name.length));
  const room = out.width === null ? null : Math.max(20, out.width - width - 2);
  return shown.flatMap(([name, value]) => {
    const [first = "", ...rest] = wrapped(value ?? "", room);
    return [`${out.paint.dim(name.padEnd(width))}  ${first}`, ...indented(rest, " ".repeat(width + 2))];
  });
}

/** A heading after an empty line. */
export function heading(text: string, out: Output): string[] {
  return ["", out.paint.bold(text)];
}

export function seconds(value: number | null): string {
  return value === null ? NOTHING : duration(value);
}

/** A column of instants that shrinks to `5 min ago` if space is short. */
export function timeColumn<Row>(title: string, of: (row: Row) => string | null, now: number): Column<Row> {
  return {
    title,
    cell: (row) => time(of(row)),
    narrow: (row) => {
      const epoch = epochFromIso(of(row) ?? "");
      return epoch === null ? NOTHING : age(now - epoch);
    },
  };
}

/** A status with its colour. */
export function statusColumn<Row>(of: (row: Row) => string | null | undefined, out: Output): Column<Row> {
  return {
    title: "STATUS",
    cell: (row) => {
      const word = of(row);
      return word ? { text: word, paint: (text) => out.paint.status(word, text) } : NOTHING;
    },
    cut: "end",
    min: 10,
  };
}

/** Ids, shortened in the middle if space is short: 8 and 4 digits of a UUID. */
export function idColumn<Row>(
  title: string,
  of: (row: Row) => string | null | undefined,
  extra: Partial<Column<Row>> = {},
): Column<Row> {
  const narrow = (row: Row) => shortId(of(row) ?? NOTHING);
  return { title, cell: (row) => of(row) ?? NOTHING, narrow, cut: "middle", min: 13, ...extra };
}

/** Dotted names: the function at the end matters most. */
export function taskColumn<Row>(of: (row: Row) => string | null | undefined, title = "TASK"): Column<Row> {
  return { title, cell: (row) => of(row) ?? NOTHING, cut: "start", min: 14 };
}

/** Shown instead of an unknown status. @param task null if there is no definition either. */
export function withoutStatus(task: string | null): string {
  return task === null ? "(not stored)" : "(no status)";
}

/** `ThreadRunner worker-1:4101 9a3f11c2…77ab`; ids that name class and host are printed alone. @param whole print all of the id. */
export function runnerText(runner: RunnerName | null, whole = false): string {
  if (runner === null) return NOTHING;
  const id = visibleLine(whole ? runner.runner_id : shortId(runner.runner_id));
  if (runner.context_missing) return `${id} (no context stored)`;
  if (/^\w+@/.test(runner.runner_id)) return id;
  const place = runner.hostname === null ? "" : ` ${visibleLine(runner.hostname)}:${runner.pid ?? "?"}`;
  return `${visibleLine(runner.runner_cls ?? "")}${place} ${id}`.trim();
}

/** For a value that was not read in full, the note has the size. */
function beginningShown({ size, cut }: DisplayValue): string {
  return size !== null && !cut
    ? `${count(size)} characters stored, only the start is shown`
    : "only the start is shown";
}

/** A stored value with all its lines. Long values are cut on a terminal. */
export function valueLines({ stored, resolved, dangling }: ShownValue, out: Output): string[] {
  if (dangling) return [`${visibleLine(stored.text)} (a reference to client data that is not in this store)`];
  const value = resolved ?? stored;
  const cut = out.width !== null && value.text.length > VALUE_CHARACTERS;
  const text = cut ? value.text.slice(0, VALUE_CHARACTERS) : value.text;
  const remarks: string[] = [];
  if (resolved !== null) remarks.push("from client data");
  if (value.note !== null) remarks.push(visibleLine(value.note));
  if (cut) remarks.push(`${beginningShown(value)}; --full shows more`);
  else if (value.truncated) remarks.push(beginningShown(value));
  return [...visible(text).split("\n"), ...(remarks.length > 0 ? [`(${remarks.join("; ")})`] : [])];
}

export function indented(lines: readonly string[], indent = "  "): string[] {
  return lines.map((line) => (line === "" ? "" : indent + line));
}

/** Reasons are fragments or sentences. */
export function sentence(reason: string): string {
  return `${reason[0]?.toUpperCase()}${reason.slice(1)}${reason.endsWith(".") ? "" : "."}`;
}

/** The total number of rows of a list; null if it is not known. */
export function totalText({ total, total_capped }: PageInfo): string | null {
  if (total === null) return null;
  return total_capped ? `more than ${count(total)}` : count(total);
}

/** Which part of a list was printed, unless it was all of it. */
export function pageNotes(page: PageInfo, noun: string): string[] {
  if (page.first_row === 0) {
    if (page.number === 1) return [];
    const total = page.total === null ? "" : ` The list has ${counted(page.total, noun)}.`;
    return [`Page ${count(page.number)} is empty.${total}`];
  }
  if (page.number === 1 && !page.has_next) return [];
  const total = page.total === null ? "" : ` of ${totalText(page)}`;
  const next = page.has_next ? ` Next: --page ${page.number + 1}` : "";
  return [
    `${noun[0]?.toUpperCase()}${noun.slice(1)}s ${count(page.first_row)} to ${count(page.last_row)}${total}.${next}`,
  ];
}
