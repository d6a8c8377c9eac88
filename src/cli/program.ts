/**
 * The command line. Nothing heavy is imported here: each command loads what it needs when it runs, which keeps `--help` quick.
 */

import { Command, Help } from "commander";
import { GROUPS } from "../questions/model/question.ts";
import { COMMANDS } from "./all-commands.ts";
import type { CommandEntry } from "./command-entry.ts";
import { CompletedCommand, CompletedOption } from "./completed.ts";
import { refuseContradictions } from "./contradictions.ts";
import { exitCodeOf, reportFailure } from "./failures.ts";
import { type Flags, refuseEmpty } from "./flags.ts";
import { guardOutput } from "./print/stream.ts";
import { chooseZone } from "./print/zone.ts";
import { version } from "./version.ts";

/** Runs a command line; sets the exit code and never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  const usage: string[] = [];
  const program = createProgram((text) => usage.push(text));
  // Also ends commands that run on. They leave nothing half done: what they print comes last.
  guardOutput(async (error) => {
    await reportFailure(error, program.opts());
    process.exit(exitCodeOf(error));
  });
  try {
    // Without a command, print the help and succeed.
    const { operands, unknown } = program.parseOptions([...argv]);
    if (operands.length === 0 && unknown.length === 0) program.outputHelp();
    else {
      const named = operands[operands[0] === "help" ? 1 : 0];
      await program.parseAsync(isNoCommand(program, named) ? withoutHelp(argv) : argv, { from: "user" });
    }
  } catch (error) {
    await reportFailure(error, program.opts(), usage.join(""));
    process.exitCode = exitCodeOf(error);
  }
}

function isNoCommand({ commands }: Command, word: string | undefined): boolean {
  return word !== undefined && word !== "help" && !commands.some((command) => command.name() === word);
}

/** For the help of an unknown command, commander would print the help of the program and exit with 0. */
function withoutHelp(argv: readonly string[]): string[] {
  return argv.filter((word) => !["--help", "-h", "help"].includes(word));
}

/** @param writeErr receives commander's message about a command line that it rejects. */
export function createProgram(writeErr: (text: string) => void = (text) => process.stderr.write(text)): Command {
  const program = new Command("monitor")
    .configureOutput({ writeErr })
    .description("Shows what a pynenc app did and why: in the browser, on the terminal and as JSON.")
    .usage("[options] <command>")
    .version(version(), "-V, --version")
    .addOption(new CompletedOption("--app <id>", "app to show, if the store holds several (PYNENC_MONITOR_APP)", "app"))
    .option("--db <path>", "SQLite file of the app (PYNENC_MONITOR_DB)")
    .addOption(
      new CompletedOption(
        "--backend <kind>",
        "kind of store: sqlite, redis or mongodb; implied by --db and --url (PYNENC_MONITOR_BACKEND)",
        ["sqlite", "redis", "mongodb"],
      ),
    )
    .option(
      "--url <url>",
      "server of the app: redis://user:password@host:6379/0 or mongodb://user:password@host (PYNENC_MONITOR_URL)",
    )
    .option("--config <file>", "pynenc configuration file: TOML, YAML or JSON (PYNENC_MONITOR_CONFIG)")
    .option("--now <time>", "treat this instant as the present, ISO 8601 (PYNENC_MONITOR_NOW)")
    .option(
      "--lock-wait <seconds>",
      "how long an action waits for other writers of the file (PYNENC_MONITOR_LOCK_WAIT; default 30)",
    )
    .option(
      "--max-commands <number>",
      "send at most this many commands per second to a server (PYNENC_MONITOR_MAX_COMMANDS; default 20000 for Redis, 1000 for MongoDB)",
    )
    .option("--state-dir <folder>", "folder for the record of actions (PYNENC_MONITOR_STATE_DIR)")
    .option("--json", "print exactly one JSON document (PYNENC_MONITOR_JSON)")
    .option("-q, --quiet", "print data only, without notes; of an action the new ids (PYNENC_MONITOR_QUIET)")
    .addOption(
      new CompletedOption(
        "--color <when>",
        "colours: auto (default; on terminals), always or never (NO_COLOR, FORCE_COLOR)",
        ["auto", "always", "never"],
      ),
    )
    .option("--no-color", "the same as --color never")
    .option(
      "--no-pager",
      "do not send long output through $PAGER (default less) on a terminal (PYNENC_MONITOR_NO_PAGER)",
    )
    .option("--web", "open the page of the same question, or print its address where there is no browser")
    .option("--full", "do not truncate to fit the terminal")
    .option("--local", "print and read times in the time zone of this machine (PYNENC_MONITOR_LOCAL)")
    .option("--utc", "print times in UTC (default)")
    .addOption(
      new CompletedOption(
        "--log-level <level>",
        "silent, error, warn, info (default) or debug (PYNENC_MONITOR_LOG_LEVEL)",
        ["silent", "error", "warn", "info", "debug"],
      ),
    )
    .showHelpAfterError("Run monitor --help to list the commands.")
    .exitOverride()
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      // Hidden here only: commander suggests what is visible for a flag that is misspelled.
      formatHelp(command, help) {
        return new Help().formatHelp.call(
          help,
          command,
          Object.assign(Object.create(help), { visibleOptions: () => [] }),
        );
      },
    })
    .addHelpText("after", AFTER);
  const given = new Set<string>();
  noteGiven(program, given);
  for (const command of COMMANDS) addCommand(program, command, given);
  const help = new Command("help")
    .argument("[command]")
    .helpGroup(GROUPS.checks)
    .description("show this list, or the help of a command");
  return program.addHelpCommand(help);
}

const AFTER = `
monitor <command> --help   its options, and examples
monitor options            options of every command: --app, --db, --json ...
Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 unreachable, 5 refused.`;

/** A negated search term: `-task:pynenc.*`. No option looks like it. */
const NEGATED_TERM = /^-[a-z_]{2,}(?:\.[\w.-]+)?(?::|[<>]=?|=)/i;

/** For commands that take a search: a negated term is part of the search, not an option. */
class SearchCommand extends CompletedCommand {
  override parseOptions(argv: string[]) {
    const { operands, unknown } = super.parseOptions(argv);
    if (!unknown.some((word) => NEGATED_TERM.test(word))) return { operands, unknown };
    const isOption = (word: string) => word.startsWith("-") && !NEGATED_TERM.test(word);
    // Commander puts everything after the first one into the same list.
    return { operands: [...operands, ...unknown.filter((word) => !isOption(word))], unknown: unknown.filter(isOption) };
  }
}

/** Adds the long names of flags to `given` as they are parsed: `--token` and `--no-token` set the same value, so it does not say which were given. */
function noteGiven(command: Command, given: Set<string>): void {
  for (const option of command.options)
    command.on(`option:${option.name()}`, () => given.add(option.long ?? option.flags));
}

function addCommand(program: Command, entry: CommandEntry, onCommandLine: Set<string>): void {
  const [name = "", ...args] = entry.usage.split(" ");
  const command = entry.usage.includes("[query...]") ? new SearchCommand(name) : new CompletedCommand(name);
  command.completion = entry.completion;
  program.addCommand(command, { hidden: entry.hidden === true });
  for (const argument of args) command.argument(argument, entry.arguments?.[argument.replace(/\W/g, "")]);
  command
    .copyInheritedSettings(program)
    .helpGroup(entry.group)
    .summary(entry.summary)
    .description(
      [`${entry.summary[0]?.toUpperCase()}${entry.summary.slice(1)}.`, entry.details ?? ""].join(" ").trimEnd(),
    )
    .configureHelp({})
    .showHelpAfterError(`Run monitor ${name} --help to list its options.`)
    .exitOverride()
    .addHelpText(
      "after",
      `\nExamples:\n${entry.examples.map((example) => `  $ ${example}`).join("\n")}\n\nOptions of every command: monitor options`,
    );
  for (const [flags, description, more = {}] of entry.options ?? []) {
    const option = new CompletedOption(flags, description, more.completion);
    if (more.repeatable) option.argParser((value, earlier: string[] = []) => [...earlier, value]);
    command.addOption(option);
  }
  noteGiven(command, onCommandLine);
  command.action(async (...parts: unknown[]) => {
    // Commander passes the arguments, then the options, then the command. A repeatable argument is a list.
    const placed = parts.slice(0, -2);
    const given = command.optsWithGlobals<Flags>();
    refuseContradictions(onCommandLine);
    const values = [...command.options, ...program.options].flatMap((option): [string, unknown][] => {
      const { long = "" } = option;
      // An empty path is the root of the server.
      return onCommandLine.has(String(long)) && long !== "--base-path"
        ? [[String(long), given[option.attributeName()]]]
        : [];
    });
    // A word that is still to be typed is empty.
    if (!entry.hidden) refuseEmpty([...args.map((argument, at) => [argument, placed[at]] as const), ...values], name);
    chooseZone(given, process.env, name);
    await entry.run(
      given,
      placed.flat().flatMap((value) => (value === undefined ? [] : [String(value)])),
      program,
    );
  });
}
