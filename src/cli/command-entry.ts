import type { Command } from "commander";
import type { Stored } from "../inputs/parameter.ts";
import type { Flags } from "./flags.ts";

/** Where the values of a flag or an argument come from. `list`: several of these words, separated by commas. */
export type Completion = Stored | readonly string[] | { list: readonly string[] };

/** `repeatable` flags collect all their values. */
export type OptionEntry = readonly [
  flags: string,
  description: string,
  more?: { repeatable?: boolean; completion?: Completion | undefined },
];

export interface CommandEntry {
  /** Name and arguments: `invocation <id>`. */
  usage: string;
  /** Heading in the list of commands. */
  group: string;
  summary: string;
  /** Sentences that follow the summary in the help. */
  details?: string;
  options?: readonly OptionEntry[];
  examples: readonly string[];
  /** What its arguments mean, by their names. */
  arguments?: Readonly<Record<string, string>>;
  /** Values of its argument. */
  completion?: Completion | undefined;
  /** Left out of the list of commands. */
  hidden?: true;
  /** Loads and runs the command. */
  run(flags: Flags, args: readonly string[], program: Command): Promise<void>;
}
