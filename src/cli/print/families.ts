/** Prints what led to what as a tree: one line per node, with its id. */
import type { FamilyMark, FamilyOther, FamilyPicture, FamilyRow, TraceTree, TraceTreeNode } from "../../api/causes.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { alsoFrom, EDGE_WORDS, howLed, moreOf } from "../../presentation/edge-words.ts";
import { age, count, durationPhrase, exceptionText, shortId, visibleLine } from "../../presentation/text.ts";
import { KIND_WORDS } from "../../presentation/thing-links.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import { durationMeaning, elapsedOfRow } from "../../services/model/invocation-life.ts";
import { branchLines } from "./branches.ts";
import type { Paint } from "./colour.ts";
import type { Output } from "./output.ts";
import type { Cut } from "./table.ts";
import { withoutStatus } from "./text.ts";
import type { Word } from "./words.ts";
import { clock, time, timeToSeconds } from "./zone.ts";

/** Where the lines go, and the present for ages where times do not fit. Of the past they are not known: times of the same day lose their date. */
interface Printed extends Pick<Output, "paint" | "width"> {
  now: number;
  at?: string | null;
}

/** A causal chain. */
export function traceLines({ roots }: TraceTree, out: Printed): string[] {
  return branchLines(roots, out, {
    words: (node) => nodeOfTrace(node, out),
    below: (node) => node.children,
    remark: (node) => (node.children.length === 0 ? omitted(node) : null),
  });
}

/** A family over time. Events and runs are listed below the invocation that they belong to, other causes at the end. */
export function pictureLines(
  { rows, others, as_of, at }: FamilyPicture,
  out: Pick<Output, "paint" | "width">,
): string[] {
  const below = rowsBy(rows, (row) => row.above_id);
  const printed = { paint: out.paint, width: out.width, now: epochFromIso(as_of) ?? 0, at };
  return branchLines<FamilyRow | FamilyMark | FamilyOther>([...(below.get(null) ?? []), ...others], out, {
    words: (node) => {
      if ("marks" in node) return rowOfPicture(node, printed);
      return "label" in node ? markOfPicture(node, printed) : otherOfPicture(node, printed);
    },
    below: (node) => ("marks" in node ? [...node.marks, ...(below.get(node.id) ?? [])] : []),
  });
}

function otherOfPicture(other: FamilyOther, { paint }: Printed): Word[] {
  const { kind, id, invocation } = other;
  return [
    ...dimmed("also from", paint),
    { text: visibleLine(invocation?.task_id_key ?? KIND_WORDS[kind]), cut: "start" },
    { ...idWord(id), joint: "" },
    { text: moreOf(other) },
  ];
}

function nodeOfTrace(node: TraceTreeNode, out: Printed): Word[] {
  const { kind, id, by, repeat, invocation, event, trigger_run: run } = node;
  const { paint } = out;
  let known: Word[] = [];
  if (repeat) known = [];
  else if (invocation !== null) known = invocationWords(invocation, out);
  else if (event !== null) known = [nameWord(event.event_code, "end", paint), ...timeWord(event.timestamp, out)];
  else if (run !== null)
    known = [
      { text: `of ${visibleLine(run.task_id_key)}`, cut: "start" },
      ...timeWord(run.executed_at ?? run.claimed_at, out),
    ];
  const unknown = repeat ? "(shown elsewhere)" : "(not stored)";
  const rest = node.children.length > 0 ? omitted(node) : null;
  return [
    ...dimmed(by.map((edge) => EDGE_WORDS[edge]).join(", "), paint),
    { text: KIND_WORDS[kind] },
    ...known,
    idWord(id),
    ...dimmed(known.length === 0 ? unknown : "", paint),
    ...dimmed(rest === null ? "" : `(${rest})`, paint),
  ];
}

function omitted({ repeats_omitted: n }: TraceTreeNode): string | null {
  return n === 0 ? null : `and ${count(n)} more shown elsewhere`;
}

function rowOfPicture(row: FamilyRow, out: Printed): Word[] {
  const { kind, id, by, also_from, awaited, invocation, effects_left_out: n, effects_counted } = row;
  const { paint } = out;
  const known =
    invocation === null
      ? [{ text: KIND_WORDS[kind] }, ...dimmed(kind === "invocation" ? "(not stored)" : "", paint)]
      : invocationWords(invocation, out, elapsedWords(invocation, out.now));
  const left = n === 0 ? "" : `(${count(n)}${effects_counted ? "" : " or more"} of what it led to left out)`;
  return [
    ...dimmed(awaited ? "waits for" : howLed(by), paint),
    ...known,
    idWord(id),
    ...focusMark(row, paint),
    ...dimmed(alsoFrom(also_from), paint),
    ...(invocation?.exception == null
      ? []
      : [{ text: visibleLine(exceptionText(invocation.exception)), cut: "end" as const }]),
    ...said(left),
  ];
}

function elapsedWords(invocation: InvocationRow, asOf: number): string {
  const seconds = elapsedOfRow(invocation, asOf);
  const { status, duration_at_least } = invocation;
  return seconds === null ? "" : durationPhrase(seconds, durationMeaning(status, duration_at_least));
}

/** What is missing, and how to get it. */
export function pictureRemarks({ above_id, truncated, notes }: FamilyPicture): string[] {
  return [
    ...(above_id === null ? [] : [`There are more ancestors: monitor tree ${above_id}`]),
    ...(truncated && above_id === null
      ? ["A part of the family is not shown: raise --limit, or use --expand with an id."]
      : []),
    ...notes,
  ];
}

function markOfPicture(mark: FamilyMark, out: Printed): Word[] {
  const { kind, id, label, at } = mark;
  return [
    ...dimmed(KIND_WORDS[kind], out.paint),
    { text: visibleLine(label), cut: "start" },
    ...timeWord(at, out),
    idWord(id),
    ...focusMark(mark, out.paint),
  ];
}

type Named = Pick<InvocationRow, "task_id_key" | "status" | "status_source" | "registered_at">;

function invocationWords(row: Named, out: Printed, elapsed = ""): Word[] {
  const { task_id_key, status, status_source, registered_at } = row;
  const unknown = status_source === "none";
  return [
    nameWord(task_id_key ?? "unknown task", "start", out.paint),
    unknown
      ? { text: withoutStatus(task_id_key) }
      : { text: visibleLine(status), paint: (text) => out.paint.status(status, text) },
    ...(elapsed === "" ? [] : [{ text: elapsed, optional: true }]),
    ...timeWord(registered_at, out),
  ];
}

function nameWord(name: string, cut: Cut, paint: Paint): Word {
  return { text: visibleLine(name), cut, paint: paint.bold };
}

function idWord(id: string): Word {
  return { text: visibleLine(id), narrow: visibleLine(shortId(id)) };
}

function timeWord(iso: string | null, { now, at = null }: Printed): Word[] {
  if (iso === null) return [];
  const epoch = epochFromIso(iso);
  const sameDay = at !== null && time(at).slice(0, 10) === time(iso).slice(0, 10);
  const short = sameDay ? clock(iso) : timeToSeconds(iso);
  return [{ text: time(iso), optional: true, narrow: at !== null || epoch === null ? short : age(now - epoch) }];
}

function focusMark({ focus }: { focus: boolean }, paint: Paint): Word[] {
  return focus ? [{ text: "(this one)", paint: paint.bold }] : [];
}

function dimmed(text: string, paint: Paint): Word[] {
  return said(text).map((word) => ({ ...word, paint: paint.dim }));
}

function said(text: string): Word[] {
  return text === "" ? [] : [{ text }];
}
