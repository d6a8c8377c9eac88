/** Flags and commands that say where their values come from, for completion. */
import { Command, type ErrorOptions, Option } from "commander";
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

  override error(message: string, options?: ErrorOptions): never {
    const past = message.includes("unknown option '--at'") ? "\nstatus --at and timeline --at show the past." : "";
    return super.error(message + past, options);
  }
}
