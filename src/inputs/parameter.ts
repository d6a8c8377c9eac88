/**
 * Parameters: what questions and actions take, declared once. Services read requests by these declarations; addresses, flags, help, completion,
 * schemas and assistants' tools are made from them. They are plain values, because `--help` loads all of them.
 */

/**
 * Where the values of a parameter come from, for completion: the store, where a `thing` is anything with an id or a name, the terms of a search, or
 * the members of the rows that the command prints.
 */
export type Stored =
  | "app"
  | "task"
  | "queue"
  | "status"
  | "workflow_type"
  | "event_code"
  | "invocation"
  | "runner"
  | "event"
  | "workflow"
  | "thing"
  | "query"
  | "fields";

/**
 * How a text is parsed. By default it is one word or sentence, without blanks at its ends; `exact` keeps these blanks, `all` gives every value,
 * `list` gives values that are separated by commas or repeated.
 */
export type TextReading = "exact" | "all" | "list" | "time" | "length";

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
  /** What is accepted, for the message of a refusal, where the kind of the parameter does not say it: "a number of seconds". */
  accepted?: string;
}

export interface TextParameter extends Common {
  kind: "text";
  completion?: Stored | readonly string[];
  /** A time is read in UTC unless it has an offset; commands read it in the zone that they print. */
  read?: TextReading;
  /** What the text must look like. */
  form?: RegExp;
  /** The largest number of values in a list. */
  most?: number;
  /** Characters that an assistant may give, where they are more than usual. */
  longest?: number;
  /** Counts as not given, whatever its case: forms send it. */
  absent?: string;
  /** Bodies in JSON may give several. */
  list?: true;
}

export interface WordParameter extends Common {
  kind: "word";
  words: readonly string[];
  /** What each word means, where that needs saying. */
  explained?: Readonly<Record<string, string>>;
  /** Words that people see for some of these, such as heads of the table that it sorts. */
  alias?: Readonly<Record<string, string>>;
  /** Counts without the parameter. */
  usual?: string;
}

export interface NumberParameter extends Common {
  kind: "whole" | "number";
  least?: number;
  most?: number;
  usual?: number;
}

/** 1 or 0 in addresses, and without a default also yes and no; a flag without a value. */
export interface SwitchParameter extends Common {
  kind: "switch";
  usual?: "1" | "0";
}

export type Parameter = TextParameter | WordParameter | NumberParameter | SwitchParameter;

/** Parameters by their names in addresses. */
export type Input = Readonly<Record<string, Parameter>>;

type More<P extends Parameter> = Omit<P, "kind" | "meaning" | "words" | "least" | "most" | "usual">;

export function text<const Rest extends Omit<TextParameter, "kind" | "meaning">>(meaning: string, more?: Rest) {
  return { kind: "text", meaning, ...(more as Rest) } as const;
}

export function word<
  const Word extends string,
  const Rest extends More<WordParameter> & { usual?: NoInfer<Word> } = Record<never, never>,
>(meaning: string, words: readonly Word[], more?: Rest) {
  return { kind: "word", meaning, words, ...(more as Rest) } as const;
}

type Bounds = Pick<NumberParameter, "least" | "most" | "usual">;

export function whole<const Given extends Bounds>(meaning: string, bounds: Given, more: More<NumberParameter> = {}) {
  return { kind: "whole", meaning, ...bounds, ...more } as const;
}

/** Fractions are allowed. */
export function number<const Given extends Bounds>(meaning: string, bounds: Given, more: More<NumberParameter> = {}) {
  return { kind: "number", meaning, ...bounds, ...more } as const;
}

export function onOff<const Rest extends Omit<SwitchParameter, "kind" | "meaning">>(meaning: string, more?: Rest) {
  return { kind: "switch", meaning, ...(more as Rest) } as const;
}

/** Parameters that commands do not take. */
export function withoutFlags<const Given extends Input>(input: Given): Given {
  const stripped = Object.entries(input).map(([name, { flag: _flag, ...parameter }]) => [name, parameter]);
  return Object.fromEntries(stripped) as Given;
}

/** A parameter that must be given. */
export function required<const Given extends Parameter>(parameter: Given): Given & { required: true } {
  return { ...parameter, required: true };
}
