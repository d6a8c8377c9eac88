/** Texts about comparisons of two invocations. */
import type { Diff, DifferenceKind, DiffNode, DiffPhase } from "../api/diff.ts";
import { counted, grouped } from "../pynenc/numbers.ts";
import { type Column, secondsColumn } from "./facts/column.ts";
import { duration, visibleLine } from "./text.ts";

export const DIFFERENCE_WORDS: Readonly<Record<DifferenceKind, string>> = {
  only_a: "only in A",
  only_b: "only in B",
  task: "task",
  outcome: "outcome",
  arguments: "arguments",
  attempts: "retries",
  times: "times",
};

/** `+1.24 s` where B took longer, `−1.24 s` where A did, `0 s`. */
export function signedDuration(seconds: number): string {
  if (seconds === 0) return duration(0);
  return `${seconds < 0 ? "−" : "+"}${duration(Math.abs(seconds))}`;
}

/** How long each phase of the two took. */
export const PHASE_COLUMNS: readonly Column<DiffPhase>[] = [
  { of: ["phase"], label: "Phase", value: ({ phase }) => phase.replace("_", " ") },
  secondsColumn("a_seconds", "A"),
  secondsColumn("b_seconds", "B"),
  { of: ["difference_seconds"], label: "B − A", align: "end", value: (row) => signedDuration(row.difference_seconds) },
];

/** A summary of all differences, in two sentences. */
export function diffSentence({ same, nodes, differences, notes }: Diff): string {
  const compared = `${counted(nodes.length, "invocation")} compared.`;
  if (same)
    return `${compared} ${notes.length === 0 ? "Nothing differs." : "Nothing differs in what could be compared."}`;
  const { only_a, only_b, task, outcome, arguments: given, attempts, times } = differences;
  const parts: [word: string, n: number][] = [
    ["outcome of", outcome],
    ["task of", task],
    ["arguments of", given],
    ["retries of", attempts],
    ["times of", times],
    ["only in A", only_a],
    ["only in B", only_b],
  ];
  const differing = parts.filter(([, n]) => n > 0).map(([word, n]) => `${word} ${grouped(n)}`);
  return `${compared} Different: ${differing.join(", ")}.`;
}

/** The outcome of an invocation: its status and, if it failed, its exception. */
export function outcomeText(row: DiffNode["a"]): string {
  if (row === null) return "";
  const { status, exception } = row;
  if (exception === null) return visibleLine(status);
  const message = exception.message === null || exception.message === "" ? "" : `: ${exception.message}`;
  return visibleLine(`${status}, ${exception.type ?? "unknown exception"}${message}`);
}
