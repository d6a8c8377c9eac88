/** The token that protects a server. Only this module and the code that compares it ever hold it. */
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { InvalidInputError } from "../errors.ts";
import { isToken, type ResolvedOptions, TOKEN_RULE } from "./options.ts";
import type { Environment } from "./pynenc-sources.ts";

/** Far more than a token and the white space around it. */
const LARGEST_FILE = 4_096;

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
  const read = <T>(from: (path: string) => T): T => {
    try {
      return from(path);
    } catch {
      throw refused("it cannot be read");
    }
  };
  const file = read((file) => statSync(file));
  // Reading a pipe would wait for a writer.
  if (!file.isFile()) throw refused("it is not a regular file");
  if (file.size > LARGEST_FILE) throw refused(`it is too large for a token: ${TOKEN_RULE}`);
  const text = read((file) => readFileSync(file, "utf8")).trim();
  if (text === "") throw refused("it is empty");
  if (!isToken(text)) throw refused(`it contains no valid token: ${TOKEN_RULE}`);
  // Windows has no such modes.
  if (process.platform !== "win32" && (file.mode & 0o077) !== 0) {
    warn(`Other users may read ${path}, which holds the token: chmod 600 it.`);
  }
  return text;
}
