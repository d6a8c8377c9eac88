/** What logs are read with. */
import { LOG_LEVELS } from "../pynenc/log-levels.ts";
import { text, whole, word } from "./parameter.ts";

export const logFilterInput = {
  level: word("least severe level to show", LOG_LEVELS, { flag: "--level <level>" }),
  text: text("only entries that contain this text; case is ignored", { flag: "--grep <text>" }),
  reference: text("only entries that name this object: an id, its beginning, or kind:id"),
} as const;

export const logsInput = {
  // Not trimmed: leading blanks may mark continuation lines.
  log: text("the log as text", { read: "all" }),
  file: text("the log as a file of a form; it wins over `log`", { read: "all" }),
  ...logFilterInput,
} as const;

/** Parameters of the page. */
export const logExplorerInput = {
  ...logsInput,
  page: whole("page of the list", { least: 1, usual: 1 }),
  limit: whole("entries per page", { least: 1, most: 1_000, usual: 200 }),
} as const;
