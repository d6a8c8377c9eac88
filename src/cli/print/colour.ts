/** Terminal colours. Colour never carries meaning alone: the same is always said in words. */
import { statusInfo } from "../../pynenc/statuses.ts";

/** Functions that colour text; all of them return it unchanged when colours are off. */
export interface Paint {
  /** Colours are on. */
  coloured: boolean;
  /** Text in the palette's colour of a status word. */
  status(word: string, text?: string): string;
  bold(text: string): string;
  dim(text: string): string;
  warning(text: string): string;
  error(text: string): string;
}

/** The colour of an error, a warning or a note. */
export function severityColour(severity: string, paint: Paint): (text: string) => string {
  if (severity === "error") return paint.error;
  return severity === "warning" ? paint.warning : paint.dim;
}

/** @param enabled the stream is a terminal and colours are not switched off. */
export function createPaint(enabled: boolean): Paint {
  const within = (start: string, end: string) => (text: string) => (enabled ? `${start}${text}${end}` : text);
  const foreground = (colour: number) => within(`\u001b[38;5;${colour}m`, "\u001b[39m");
  return {
    coloured: enabled,
    status: (word, text = word) => foreground(statusInfo(word).ansi)(text),
    bold: within("\u001b[1m", "\u001b[22m"),
    dim: within("\u001b[2m", "\u001b[22m"),
    warning: foreground(220),
    error: foreground(203),
  };
}
