import { type Command, Help } from "commander";

/** `monitor options`: the options of every command, which their own helps leave out. */
export function printOptions(program: Command): void {
  const help = Object.assign(new Help(), {
    commandUsage: () => "monitor <command> [options]",
    commandDescription: () => "Options of every command. They may be before or after it.",
    visibleCommands: () => [],
  });
  const { writeOut, getOutHelpWidth } = program.configureOutput();
  help.prepareContext({ helpWidth: getOutHelpWidth?.() ?? 80 });
  writeOut?.(`${help.formatHelp(program, help)}\n`);
}
