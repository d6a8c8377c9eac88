// Writes the manual page monitor.1.gz from the commands as the program declares them: node scripts/man-page.mjs, after a build; scripts/build.mjs does it.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Roff takes a backslash, and a dot or quote at the beginning of a line, as its own. */
function roff(text) {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1");
}

function item(term, text) {
  return [".TP", `.B ${roff(term)}`, roff(text)];
}

const { createProgram } = await import(pathToFileURL(join(root, "dist", "src", "cli", "program.js")).href);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const program = createProgram();
const help = program.createHelp();
const lines = [
  `.TH MONITOR 1 "" "pynenc\\-monitor ${version}"`,
  ".SH NAME",
  "monitor \\- see what a pynenc app did and why",
  ".SH SYNOPSIS",
  ".B monitor",
  '.RI [ options ] " command"',
  ".SH DESCRIPTION",
  roff(program.description()),
  ".SH OPTIONS",
  ...program.options.flatMap(({ flags, description }) => item(flags, description)),
  ".SH COMMANDS",
];
for (const command of help.visibleCommands(program)) {
  if (command.name() === "help") continue;
  lines.push(`.SS monitor ${roff(help.commandUsage(command).replace(/^monitor /, ""))}`, roff(command.description()));
  for (const { flags, description } of command.options) lines.push(...item(flags, description));
}
lines.push(
  ".SH EXIT STATUS",
  ...[
    ["0", "done"],
    ["1", "failed, or something is wrong"],
    ["2", "an option or value is not accepted"],
    ["3", "not found"],
    ["4", "the store cannot be reached"],
    ["5", "refused: nothing was changed"],
  ].flatMap(([code, meaning]) => item(code, meaning)),
  ".SH SEE ALSO",
  roff("monitor <command> --help, and https://github.com/pynenc/pynenc-monitor#readme"),
);
writeFileSync(join(root, "dist", "monitor.1.gz"), gzipSync(`${lines.join("\n")}\n`, { level: 9 }));
