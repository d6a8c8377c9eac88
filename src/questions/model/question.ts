/**
 * One question, or one action, declared once. Addresses, JSON, OpenAPI, commands, help, completion, assistants' tools and the types of links
 * are made from it. Answers and services are imported when they are needed, and parameters are plain values: `--help` reads every declaration, and building two hundred schemas would hold
 * up every start (derived/input-schema.ts builds them).
 */
import type { z } from "zod";
import type { ShownKind } from "../../api/show.ts";
import type { Input } from "../../inputs/parameter.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import type { RawInput } from "../../services/input/input.ts";

/** The group of an address in the OpenAPI document. */
export type Area =
  | "health"
  | "access"
  | "find"
  | "causes"
  | "components"
  | "runners"
  | "tasks"
  | "invocations"
  | "timeline"
  | "workflows"
  | "events"
  | "triggers"
  | "logs"
  | "actions";

/** Headings in the list of commands. */
export const GROUPS = {
  browser: "In the browser:",
  terminal: "What is wrong, and why:",
  things: "Lists, and one thing of each:",
  time: "Over time, and as files:",
  changes: "Changing data:",
  checks: "About the store, its settings and this program:",
} as const;

export type Group = keyof typeof GROUPS;

/** What decides the meaning of an answer: JSON by this schema. */
export type Answer = () => Promise<z.ZodType>;

/** One method of one address. What is not given is that of the question. */
export interface Address<Path extends string = string> {
  method: "GET" | "POST";
  area?: Area;
  /** As h3 reads it: `/invocations/:id`. */
  path: Path;
  summary?: string;
  /** Null if it answers no JSON. */
  answer?: Answer | null;
  /** Media types of its other answers: a page, a fragment or a file. */
  forms: readonly string[];
  input?: Input;
  /** Fields of the body. */
  body?: Input;
  redirects?: true;
  /** It is the part of the page before it that refreshes itself. */
  refreshes?: true;
}

/** Where an answer has the rows of a list: `tasks`, or `tasks.triggers` of each task; empty if each answer is a row. */
export interface Rows {
  in: string;
  /** The member that names a row, the first that it has; of several in a row each counts. None: rows have no ids. */
  id: readonly string[];
}

export interface CommandPart {
  /** Name and arguments: `compare [query...]`. */
  usage: string;
  /** `terminal` if absent. */
  group?: Group;
  examples: readonly string[];
  /** Flags that only the command has, such as formats of a file. */
  options?: Input;
  /** The rows of its answers, the first that an answer has: for `--format ids` and `--fields`. */
  rows?: readonly Rows[];
  /** It can be refreshed in place. */
  watch?: true;
  /** Words that its argument may be. */
  words?: readonly string[];
  /** It shows one thing of this kind, named by its argument. */
  shows?: Exclude<ShownKind, "queue" | "workflow_type">;
  /** The address of its page, where that is not the first of its question. */
  web?(words: readonly string[]): string;
  /** What its exit codes mean, where that is not the usual. */
  exits?: string;
}

/** The tool of assistants that asks this question. */
export interface Tool {
  name: string;
  /** It answers to these too, and is not listed under them. */
  otherNames?: readonly string[];
  /** Names of what it takes, in `input` or in its own options. */
  takes: readonly string[];
  /** Parameters that only the tool has, or has in another form. */
  options?: Input;
  /** The largest `limit`, where that is less than elsewhere: an assistant reads all of an answer. */
  most?: number;
  /** What it does, where that is not what the question says. */
  about?: string;
  /** Follows the sentence of the question: when to choose this tool, and when another one. */
  note?: string;
  /** Schemas of its answers, where they are not the first one of the question. */
  answers?(): Promise<readonly z.ZodType[]>;
  /** The service that answers, where it is not that of the question. */
  ask?(app: OpenedApp, input: RawInput): Promise<object>;
}

export interface Question<Asked extends Input = Input, Found extends object = object, Path extends string = string> {
  /** Name of the command, the page and the printer. */
  name: string;
  area: Area;
  /** What it does, as in the list of commands: `show what differs between some invocations and others`. */
  summary: string;
  /** Sentences that follow. */
  details?: string;
  /** Parameters of its addresses, its command and its tool. */
  input: Asked;
  addresses: readonly Address<Path>[];
  /** Null for questions of addresses alone. */
  command: CommandPart | null;
  tool?: Tool;
  /** Schemas of its answers. The first is that of its addresses; the command prints any of them. */
  answers(): Promise<readonly z.ZodType[]>;
  /** The service that answers, where address, command and tool ask it in the same way. */
  ask?(app: OpenedApp, input: RawInput): Promise<Found>;
}
