/** Words in a bar or beside it. Where their place ends they end with `…`, however wide the page draws it. */
import { percent, trimmed } from "./numbers.ts";

/** In a bar; over a thin one, which their ground hides; beside one, after or before it. What is farthest from the bar is cut. */
export type BarWordsMode = "in" | "over" | "after" | "before";

interface BarWordsProps {
  text: string;
  /** Their place, in the nominal width of the drawing. */
  from: number;
  to: number;
  width: number;
  y: number;
  height: number;
  mode?: BarWordsMode;
  /** They have room for a few letters on a phone. */
  short?: boolean;
}

/** SVG text cannot be cut at a width that only the browser knows, so these are HTML. */
export function BarWords({ text, from, to, width, y, height, mode = "in", short = false }: BarWordsProps) {
  return (
    <foreignObject
      class={short ? "bar-name-short" : undefined}
      x={percent(from, width)}
      width={percent(to - from, width)}
      y={trimmed(y)}
      height={height}
    >
      <div class={`bar-words bar-words-${mode}`} aria-hidden="true">
        <bdi>{text}</bdi>
      </div>
    </foreignObject>
  );
}

/** Nominal width of a letter. A saved drawing has a fixed width, and not every program that draws SVG knows HTML. */
export const LETTER = 6;
const INSET = 4;

export function SavedBarWords({ text, from, to, width, y, height, short = false }: BarWordsProps) {
  const letters = Array.from(text);
  const room = Math.floor((to - from - INSET) / LETTER);
  return (
    <svg
      class={short ? "bar-name-short" : undefined}
      aria-hidden="true"
      x={percent(from, width)}
      y={trimmed(y)}
      height={height}
      overflow="visible"
    >
      <text class="bar-words" x={INSET} y={height - 3.5}>
        {letters.length > room ? `${letters.slice(0, Math.max(room - 1, 0)).join("")}…` : text}
      </text>
    </svg>
  );
}
