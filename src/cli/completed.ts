/** Flags and commands that say where their values come from, for completion. */
import { Command, Option } from "commander";
import type { Completion } from "./command-entry.ts";

export class CompletedOption extends Option {
  readonly completion: Completion | undefined;

  constructor(flags: string, description: string, completion?: Completion) {
    super(flags, description);
    this.completion = completion;
  }
}

export class CompletedCommand extends Command {
  /** How the argument of the command is completed. */
  completion: Completion | undefined;
}
