/** All commands: those of questions, and those of the program itself. */
import { InvalidInputError } from "../errors.ts";
import type { Input, Parameter, Stored, TextParameter } from "../inputs/parameter.ts";
import { QUESTIONS } from "../questions/all.ts";
import { helpOf, longName } from "../questions/model/parameter-words.ts";
import { type CommandPart, GROUPS, type Question, type Rows } from "../questions/model/question.ts";
import type { CommandEntry, OptionEntry } from "./command-entry.ts";
import { BROWSER_COMMANDS, PROGRAM_COMMANDS } from "./command-table.ts";
import type { Flags } from "./flags.ts";

/** For lists that are worth watching. */
const WATCH: OptionEntry = ["--watch [seconds]", "refresh in place every 2 seconds, or at this interval"];

/** For lists. */
const ROW_OPTIONS: readonly OptionEntry[] = [
  ["--fields <names>", "print only these members of the rows, as in JSON", { completion: "fields" }],
  ["--format <format>", "ids prints one id in a line", { completion: ["ids"] }],
];

const ACTION_OPTIONS: readonly OptionEntry[] = [
  ["--yes", "do not ask for confirmation; required without a terminal"],
  ["--dry-run", "print the preview and exit with 0, also if the action would be refused"],
];

/** Ids that are offered for commands that show one thing. */
const SHOWN: Partial<Record<NonNullable<CommandPart["shows"]>, Stored>> = {
  task: "task",
  invocation: "invocation",
  runner: "runner",
  event: "event",
  workflow: "workflow",
};

/** In the order of the list of commands. */
export const COMMANDS: readonly CommandEntry[] = [
  ...BROWSER_COMMANDS.map(withoutPage),
  ...QUESTIONS.flatMap((question) => (question.command === null ? [] : [commandOf(question, question.command)])),
  ...PROGRAM_COMMANDS.map(withoutPage),
];

function withoutPage(entry: CommandEntry): CommandEntry {
  return {
    ...entry,
    async run(flags, args, program) {
      if (flags.web !== true) return entry.run(flags, args, program);
      throw new InvalidInputError([{ parameter: "--web", value: "", accepted: "only for commands that show an app" }]);
    },
  };
}

function commandOf(question: Question, command: CommandPart): CommandEntry {
  const { name, summary, details = "", input } = question;
  const { usage, group = "terminal", examples, options = {}, watch, exits = "", shows, rows } = command;
  const own = new Set(Object.values({ ...input, ...options }).map(({ flag = "" }) => longName(flag)));
  const isNew = ([flag]: OptionEntry) => !own.has(longName(flag));
  const changes = group === "changes" && question.addresses.some(({ method }) => method === "POST");
  return {
    usage,
    group: GROUPS[group],
    summary,
    details: [details, exits].filter((part) => part !== "").join(" "),
    options: [
      ...optionsOf(input),
      ...optionsOf(options),
      ...(rows ?? [])
        .slice(0, 1)
        .flatMap(({ id }) => ROW_OPTIONS.slice(0, id.length === 0 ? 1 : 2))
        .filter(isNew),
      ...(watch ? [WATCH] : []),
      ...(changes ? ACTION_OPTIONS : []),
    ],
    examples,
    arguments: argumentHelp(input),
    completion: argumentCompletion(question, command),
    async run(given, args) {
      if (given.web === true) return (await import("./web-page.ts")).openPage(question, given, args);
      const flags = rows === undefined ? given : await withRows(given, rows, question, options.format !== undefined);
      if (shows !== undefined) return (await import("./commands/show.ts")).showOf(shows, flags, args[0] ?? "");
      const module: CommandModule = await import(`./commands/${name}.ts`);
      await module.run(flags, args);
    },
  };
}

/** The flags with what they choose of the rows. @param ownFormats the command reads `--format` itself. @throws InvalidInputError */
async function withRows(
  flags: Flags,
  rows: readonly Rows[],
  { answers }: Question,
  ownFormats: boolean,
): Promise<Flags> {
  if (flags.fields === undefined && (flags.format === undefined || ownFormats)) return flags;
  const { chosenRows } = await import("./chosen-rows.ts");
  return { ...flags, rows: chosenRows(flags, rows, await answers()) };
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
      // One that is also a flag is explained there.
      parameter.argument === undefined || parameter.flag !== undefined ? [] : [[parameter.argument, helpOf(parameter)]],
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
  if (shows !== undefined) return SHOWN[shows];
  const argument = Object.values(input).find((one): one is TextParameter => one.argument !== undefined);
  return argument?.completion ?? (/ [[<](?:id|a|invocation)\b/.test(usage) ? "invocation" : undefined);
}
