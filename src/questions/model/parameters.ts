/**
 * What a question can be asked with. Each parameter is declared once, for addresses, commands, completion and assistants. These are plain values:
 * `--help` reads all of them, and building two hundred schemas would hold up every start (derived/input-schema.ts builds them when needed).
 */

/** Where the values of a parameter come from, for completion: the store, or the fields of a search. */
export type Stored = "app" | "task" | "status" | "workflow_type" | "event_code" | "query";

interface Common {
  /**
   * Words that follow the flag in the help: "only this task". In other places they begin with a capital letter and end with a full stop.
   * Accepted words and the value that counts without the parameter are added to them.
   */
  meaning: string;
  /**
   * The flag with its value, as commander reads it: `--since <time>`. Assistants use the same name, without dashes. Without a flag, commands do
   * not take the parameter.
   */
  flag?: string;
  /** The argument of the command that it is, if it is one: `id`. Assistants use this name. */
  argument?: string;
  /** Lists are given as repeated flags. */
  repeatable?: true;
  /** Other names of it in addresses. */
  otherNames?: readonly string[];
  /** Requests without it are refused. */
  required?: true;
}

export interface TextParameter extends Common {
  kind: "text";
  completion?: Stored | readonly string[];
  /** Several values may be given, separated by commas. */
  several?: true;
  /** A time. Addresses and assistants read it in UTC unless it has an offset, commands in the zone that they print. */
  time?: true;
  /** Bodies in JSON may give several. */
  list?: true;
}

export interface WordParameter extends Common {
  kind: "word";
  words: readonly string[];
  /** What each word means, where that needs saying. */
  explained?: Readonly<Record<string, string>>;
  /** Counts without the parameter. */
  usual?: string;
}

export interface NumberParameter extends Common {
  kind: "whole" | "number";
  least?: number;
  most?: number;
  usual?: number;
}

/** 1 or 0 in addresses; a flag without a value. */
export interface SwitchParameter extends Common {
  kind: "switch";
  usual?: "1" | "0";
}

export type Parameter = TextParameter | WordParameter | NumberParameter | SwitchParameter;

/** Parameters by their names in addresses. */
export type Input = Readonly<Record<string, Parameter>>;

type More<P extends Parameter> = Omit<P, "kind" | "meaning" | "words" | "least" | "most">;

export function text(meaning: string, more: More<TextParameter> = {}): TextParameter {
  return { kind: "text", meaning, ...more };
}

export function word(meaning: string, words: readonly string[], more: More<WordParameter> = {}): WordParameter {
  return { kind: "word", meaning, words, ...more };
}

export function whole(
  meaning: string,
  bounds: Pick<NumberParameter, "least" | "most" | "usual">,
  more: More<NumberParameter> = {},
): NumberParameter {
  return { kind: "whole", meaning, ...bounds, ...more };
}

/** Fractions are allowed. */
export function number(
  meaning: string,
  bounds: Pick<NumberParameter, "least" | "most">,
  more: More<NumberParameter> = {},
): NumberParameter {
  return { kind: "number", meaning, ...bounds, ...more };
}

export function onOff(meaning: string, more: More<SwitchParameter> = {}): SwitchParameter {
  return { kind: "switch", meaning, ...more };
}

/** `Only this task.` */
export function sentence(words: string): string {
  return words === "" ? "" : `${capitalized(words)}${/[.!?:]$/.test(words) ? "" : "."}`;
}

export function capitalized(words: string): string {
  return `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`;
}

/** The meaning with the accepted words and what counts without the parameter. */
export function helpOf(parameter: Parameter): string {
  const { meaning } = parameter;
  if (parameter.kind === "word") return [meaning, wordList(parameter)].filter((part) => part !== "").join(": ");
  const usual = parameter.kind === "switch" ? undefined : "usual" in parameter ? parameter.usual : undefined;
  return usual === undefined ? meaning : `${meaning} (default ${usual})`;
}

/** The meaning, with the accepted words only where they need explaining: schemas list words and defaults themselves. */
export function explainedWords(parameter: Parameter): string {
  if (parameter.kind !== "word" || parameter.explained === undefined) return parameter.meaning;
  const { usual: _usual, ...word } = parameter;
  return helpOf(word);
}

/** `down (what it caused; default), up (what led to it) or both` */
function wordList({ words, explained = {}, usual }: WordParameter): string {
  const all = words.map((one) => {
    const remarks = [explained[one] ?? "", one === usual ? "default" : ""].filter((remark) => remark !== "");
    return remarks.length === 0 ? one : `${one} (${remarks.join("; ")})`;
  });
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
}

/** The name that a command and an assistant use: `since` for `from`; null if they do not take it. */
export function spokenName({ flag, argument }: Parameter): string | null {
  return argument ?? (flag === undefined ? null : longName(flag));
}

/** `out` for `-o, --out <file>`; `values` for `--no-values`. */
export function longName(flag: string): string {
  return /--(?:no-)?([\w-]+)/.exec(flag)?.[1] ?? "";
}

/** Parameters that commands do not take. */
export function withoutFlags<const Given extends Input>(input: Given): Given {
  const stripped = Object.entries(input).map(([name, { flag: _flag, ...parameter }]) => [name, parameter]);
  return Object.fromEntries(stripped) as Given;
}
