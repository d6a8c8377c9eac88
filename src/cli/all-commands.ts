/** All commands: those of questions, and those of the program itself. */
import type { Input, Parameter, TextParameter } from "../inputs/parameter.ts";
import { QUESTIONS } from "../questions/all.ts";
import { helpOf } from "../questions/model/parameter-words.ts";
import { type CommandPart, GROUPS, type Question } from "../questions/model/question.ts";
import type { CommandEntry, OptionEntry } from "./command-entry.ts";
import { BROWSER_COMMANDS, PROGRAM_COMMANDS } from "./command-table.ts";
import type { Flags } from "./flags.ts";

/** For lists that are worth watching. */
const WATCH: OptionEntry = ["--watch [seconds]", "refresh in place every 2 seconds, or at this interval"];

const ACTION_OPTIONS: readonly OptionEntry[] = [
  ["--yes", "do not ask for confirmation; required without a terminal"],
  ["--dry-run", "print the preview and exit"],
];

/** In the order of the list of commands. */
export const COMMANDS: readonly CommandEntry[] = [
  ...BROWSER_COMMANDS,
  ...QUESTIONS.flatMap((question) => (question.command === null ? [] : [commandOf(question, question.command)])),
  ...PROGRAM_COMMANDS,
];

function commandOf(question: Question, command: CommandPart): CommandEntry {
  const { name, summary, details = "", input } = question;
  const { usage, group = "terminal", examples, options = {}, watch, exits = "", shows } = command;
  const changes = group === "changes" && question.addresses.some(({ method }) => method === "POST");
  return {
    usage,
    group: GROUPS[group],
    summary,
    details: [details, exits].filter((part) => part !== "").join(" "),
    options: [
      ...optionsOf(input),
      ...optionsOf(options),
      ...(watch ? [WATCH] : []),
      ...(changes ? ACTION_OPTIONS : []),
    ],
    examples,
    arguments: argumentHelp(input),
    completion: argumentCompletion(question, command),
    async run(flags, args) {
      if (shows !== undefined) return (await import("./commands/show.ts")).showOf(shows, flags, args[0] ?? "");
      const module: CommandModule = await import(`./commands/${name}.ts`);
      await module.run(flags, args);
    },
  };
}

/** What the module of a command, named like its question, exports. */
interface CommandModule {
  run(flags: Flags, args: readonly string[]): Promise<void>;
}

function optionsOf(input: Input): OptionEntry[] {
  return Object.values(input).flatMap((parameter): OptionEntry[] => {
    const { flag, repeatable = false } = parameter;
    return flag === undefined ? [] : [[flag, helpOf(parameter), { repeatable, completion: completionOf(parameter) }]];
  });
}

function argumentHelp(input: Input): Record<string, string> {
  return Object.fromEntries(
    Object.values(input).flatMap((parameter) =>
      parameter.argument === undefined ? [] : [[parameter.argument, helpOf(parameter)]],
    ),
  );
}

function completionOf(parameter: Parameter): CommandEntry["completion"] {
  if (parameter.kind === "word") return parameter.words;
  if (parameter.kind !== "text") return undefined;
  const { completion, read } = parameter;
  return read === "list" && typeof completion === "object" ? { list: completion } : completion;
}

function argumentCompletion({ input }: Question, { usage, words, shows }: CommandPart): CommandEntry["completion"] {
  if (words !== undefined) return words;
  if (usage.includes("[query...]")) return "query";
  if (shows === "task") return "task";
  const argument = Object.values(input).find((one): one is TextParameter => one.argument !== undefined);
  return argument?.completion;
}
