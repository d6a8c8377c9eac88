/** The token that protects a server. Only this module and the code that compares it ever hold it. */
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { InvalidInputError } from "../errors.ts";
import { readRegularFile, UnusableFileError } from "../regular-file.ts";
import { isToken, TOKEN_RULE } from "./option-checks.ts";
import type { ResolvedOptions } from "./options.ts";
import type { Environment } from "./setting-sources.ts";

/** A token has at most 512 characters; anything much larger is the wrong file. */
const MAX_TOKEN_FILE_BYTES = 65_536;
/** Shells pass the output of a program as a pipe: `--token-file <(pass show monitor)`. */
const PIPE_MS = 5_000;

/**
 * Null if no token protects it.
 *
 * @param warn receives a sentence if other users of this machine can read the file.
 * @throws InvalidInputError for a file that cannot be read or contains no token. It never repeats the content of the file.
 */
export function serverToken(
  { token, tokenFile }: Pick<ResolvedOptions, "token" | "tokenFile">,
  env: Environment,
  warn: (words: string) => void,
): string | null {
  if (token.value === "auto") return randomBytes(24).toString("base64url");
  if (token.value === "variable") return (env[token.origin] ?? "").trim();
  const path = tokenFile.value;
  if (path === null) return null;
  const refused = (accepted: string) => new InvalidInputError([{ parameter: tokenFile.origin, value: path, accepted }]);
  let text: string;
  try {
    text = readRegularFile(path, MAX_TOKEN_FILE_BYTES, PIPE_MS).toString("utf8").trim();
  } catch (error) {
    throw refused(error instanceof UnusableFileError ? error.message : "it cannot be read");
  }
  if (text === "") throw refused("it is empty");
  if (!isToken(text)) throw refused(`it contains no valid token: ${TOKEN_RULE}`);
  // A pipe of a shell is gone by now, and Windows has no such modes.
  const file = process.platform === "win32" ? undefined : statSync(path, { throwIfNoEntry: false });
  if (file?.isFile() && (file.mode & 0o077) !== 0) {
    warn(`Other users may read ${path}, which holds the token: chmod 600 it.`);
  }
  return text;
}
