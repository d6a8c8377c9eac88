import { type Command, Help } from "commander";
import type { OptionList } from "../../api/app.ts";
import { resolveConfiguration } from "../../config/options.ts";
import type { Flags } from "../flags.ts";
import { Output } from "../print/output.ts";
import { ownSurroundings } from "../session.ts";

/** `monitor options`: the options of every command, which their own helps leave out. Opens no store. */
export async function run(flags: Flags, program: Command): Promise<void> {
  const out = new Output(resolveConfiguration({ flags, ...ownSurroundings(flags) }).options);
  const document: OptionList = {
    options: program.options.map(({ flags: names, description }) => ({ flags: names, description })),
  };
  if (out.json) return out.document(document);
  const help = Object.assign(new Help(), {
    commandUsage: () => "monitor <command> [options]",
    commandDescription: () => "Options of every command. They may be before or after it.",
    visibleCommands: () => [],
  });
  help.prepareContext({ helpWidth: program.configureOutput().getOutHelpWidth?.() ?? 80 });
  out.lines([help.formatHelp(program, help).trimEnd()]);
}
