/** Reads one configuration file the way pynenc's loader does: format by extension, `[tool.pynenc]` of a pyproject.toml (storage-format.md 12.1). */
import { createRequire } from "node:module";
import { extname, resolve } from "node:path";
import { InvalidInputError } from "../errors.ts";
import { readRegularFile, UnusableFileError } from "../regular-file.ts";

/** Configuration is small; anything larger is the wrong file. */
export const MAX_CONFIG_BYTES = 1_048_576;

/** Enough for honest anchors; a few nested levels of aliases expand to millions of nodes. */
const MAX_YAML_ALIASES = 100;

/** A file and the option or variable that names it; null for the pyproject.toml that is read by default. */
export interface NamedFile {
  path: string;
  namedBy: string | null;
}

export interface ConfigFile {
  /** The path as given, for messages. */
  shown: string;
  namedBy: string | null;
  /** A pyproject.toml: `values` is its `[tool.pynenc]`. */
  pyproject: boolean;
  values: Readonly<Record<string, unknown>>;
}

/** Absent for a file that was not named and does not exist; InvalidInputError for one that cannot be read or parsed. */
export function loadConfigFile(file: NamedFile, cwd: string): ConfigFile | null {
  const text = readText(file, resolve(cwd, file.path));
  if (text === null) return null;
  // pynenc looks for the name anywhere in the path, and only in TOML files.
  const pyproject = /pyproject\.toml/i.test(file.path) && extname(file.path).toLowerCase() === ".toml";
  const root = parserFor(file)(text, file);
  const values = pyproject ? tableAt(tableAt(root, "tool", "[tool]", file), "pynenc", "[tool.pynenc]", file) : root;
  return { shown: file.path, namedBy: file.namedBy, pyproject, values };
}

function readText(file: NamedFile, path: string): string | null {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(path, MAX_CONFIG_BYTES);
  } catch (error) {
    if (error instanceof UnusableFileError) {
      if (error.reason === "size") throw reject(file, "it must be smaller than 1 MB");
      if (file.namedBy === null) return null;
      throw reject(file, "it must name a file, not a directory or a device");
    }
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    if (file.namedBy === null && (code === "ENOENT" || code === "ENOTDIR")) return null;
    throw reject(file, code === "ENOENT" ? "it must name an existing file" : `the file must be readable (${code})`);
  }
  try {
    // The decoder also removes a byte order mark, which the parsers do not accept.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw reject(file, "the file must be UTF-8 text");
  }
}

type Parse = (text: string, file: NamedFile) => Record<string, unknown>;

function parserFor(file: NamedFile): Parse {
  switch (extname(file.path).toLowerCase()) {
    case ".toml":
      return parseTomlFile;
    case ".yaml":
    case ".yml":
      return parseYamlFile;
    case ".json":
      return parseJsonFile;
    default:
      throw reject(file, "the file name must end in .toml, .yaml, .yml or .json");
  }
}

// Each parser is loaded only when needed; most starts need one or none.
const require = createRequire(import.meta.url);

function parseTomlFile(text: string, file: NamedFile): Record<string, unknown> {
  const { parse, TomlError } = require("smol-toml") as typeof import("smol-toml");
  try {
    // Numbers beyond 2^53 in other tools' tables must not make the file unreadable.
    return parse(text, { integersAsBigInt: "asNeeded", maxDepth: 100 });
  } catch (error) {
    const line = error instanceof TomlError ? error.line : null;
    throw malformed(file, "TOML", line, firstLine(error).replace(/^Invalid TOML document: /, ""));
  }
}

function parseYamlFile(text: string, file: NamedFile): Record<string, unknown> {
  const { parseDocument, LineCounter } = require("yaml") as typeof import("yaml");
  const lines = new LineCounter();
  try {
    // YAML 1.1, because pynenc uses PyYAML: `no` is false and `<<` merges.
    const document = parseDocument(text, {
      version: "1.1",
      prettyErrors: false,
      lineCounter: lines,
      logLevel: "silent",
    });
    // An unknown tag is only a warning to this parser; PyYAML's safe loader refuses it.
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem) throw malformed(file, "YAML", lines.linePos(problem.pos[0]).line, firstLine(problem));
    const root: unknown = document.toJS({ maxAliasCount: MAX_YAML_ALIASES });
    return rootTable(root ?? {}, file);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    throw malformed(file, "YAML", null, error instanceof RangeError ? "nested too deeply" : firstLine(error));
  }
}

function parseJsonFile(text: string, file: NamedFile): Record<string, unknown> {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    // The engine's message quotes part of the text, which may be a secret.
    const reason = firstLine(error)
      .replace(/, (?:\.\.\.)?".*$/, "")
      .replace(/ in JSON at position \d+.*$/, "");
    throw malformed(file, "JSON", jsonErrorLine(String(error), text), reason);
  }
  return rootTable(root, file);
}

/** Node 20 reports a position for some errors, and "end of input" for others. */
function jsonErrorLine(message: string, text: string): number | null {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return lineAt(text, Number(position));
  return message.includes("Unexpected end") ? lineAt(text.trimEnd(), text.length) : null;
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

function rootTable(root: unknown, file: NamedFile): Record<string, unknown> {
  if (isTable(root)) return root;
  throw reject(file, "the file must hold a table of settings at its top level");
}

function tableAt(parent: Record<string, unknown>, key: string, name: string, file: NamedFile): Record<string, unknown> {
  const value = Object.hasOwn(parent, key) ? parent[key] : {};
  if (isTable(value)) return value;
  throw reject(file, `${name} in it must be a table`);
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split("\n")[0] ?? "").trim();
}

function malformed(file: NamedFile, format: string, line: number | null, reason: string): InvalidInputError {
  const where = line === null ? "" : `line ${line}: `;
  const fix = line === null ? file.path : `line ${line} of ${file.path}`;
  return reject(file, `it must be valid ${format} (${where}${reason})`, `Correct ${fix} and start again.`);
}

function reject(file: NamedFile, accepted: string, hint: string | null = null): InvalidInputError {
  const parameter = file.namedBy ?? "configuration file";
  return new InvalidInputError([{ parameter, value: file.path, accepted }], hint ?? defaultHint(file));
}

function defaultHint(file: NamedFile): string {
  return file.namedBy === null
    ? `Correct ${file.path} in the current directory, or start from another one.`
    : `Correct ${file.namedBy}, or leave it out.`;
}
