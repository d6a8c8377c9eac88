/** Lines of words that become shorter where a terminal is narrow. */
import stringWidth from "fast-string-width";
import { type Cut, cutText } from "./table.ts";

/** A part of a line, ready to print. */
export interface Word {
  text: string;
  paint?: (text: string) => string;
  /** A shorter form. */
  narrow?: string;
  /** It may be cut, at this end or in the middle. */
  cut?: Cut;
  /** Left out where even the shorter forms do not fit. */
  optional?: boolean;
  /** What separates it from the next word; a blank by default. */
  joint?: string;
}

/** A word is not cut below this width. */
const LEAST = 10;

/** One form for all lines: if one of them does not fit, every line gets shorter forms. @param width null if lines may have any length */
export function fittedLines(lines: readonly (readonly Word[])[], width: number | null): string[] {
  const fit = width === null || lines.every((words) => widthOf(words) <= width);
  return lines.map((words) => joined(fit ? words : fitted(words, width)));
}

function fitted(all: readonly Word[], width: number): Word[] {
  let words = all.map((word) => (word.narrow === undefined ? word : { ...word, text: word.narrow }));
  for (;;) {
    const excess = widthOf(words) - width;
    if (excess <= 0) return words;
    // What is left out goes last first, then long words lose what distinguishes them least.
    const dispensable = words.findLast(({ optional }) => optional === true);
    const room = words.reduce((sum, word) => sum + spare(word), 0);
    if (dispensable !== undefined && room < excess) words = words.filter((word) => word !== dispensable);
    else return shortened(words, excess);
  }
}

/** Columns that a word can lose. */
function spare({ text, cut }: Word): number {
  return cut === undefined ? 0 : Math.max(0, stringWidth(text) - LEAST);
}

/** Takes the excess from the words that may be cut, the longest first, and at last from the end of the line. */
function shortened(words: readonly Word[], excess: number): Word[] {
  let left = excess;
  const short = [...words];
  while (left > 0) {
    const most = Math.max(...short.map(spare));
    if (most <= 0) break;
    const at = short.findIndex((word) => spare(word) === most);
    const word = short[at] as Word;
    const taken = Math.min(left, most);
    short[at] = { ...word, text: cutText(word.text, stringWidth(word.text) - taken, word.cut ?? "end") };
    left -= taken;
  }
  for (let last = short.length - 1; left > 0 && last > 0; last--) {
    const word = short[last] as Word;
    const own = stringWidth(word.text);
    const kept = Math.max(0, own - left);
    if (kept > 1) short[last] = { ...word, text: cutText(word.text, kept, "end") };
    else short.pop();
    left -= kept > 1 ? left : own + 1;
  }
  return short;
}

function widthOf(words: readonly Word[]): number {
  return words.reduce(
    (sum, { text, joint = " " }, at) => sum + stringWidth(text) + (at < words.length - 1 ? joint.length : 0),
    0,
  );
}

function joined(words: readonly Word[]): string {
  return words
    .map(({ text, paint, joint = " " }, at) => (paint?.(text) ?? text) + (at < words.length - 1 ? joint : ""))
    .join("");
}
