/** The token that protects a server. Only this module and the code that compares it ever hold it. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { InvalidInputError } from "../errors.ts";
import { isToken, type ResolvedOptions, TOKEN_RULE } from "./options.ts";
import type { Environment } from "./pynenc-sources.ts";

/**
 * Null if no token protects it.
 *
 * @throws InvalidInputError for a file that cannot be read or contains no token. It never repeats the content of the file.
 */
export function serverToken(
  { token, tokenFile }: Pick<ResolvedOptions, "token" | "tokenFile">,
  env: Environment,
): string | null {
  if (token.value === "auto") return randomBytes(24).toString("base64url");
  if (token.value === "variable") return (env[token.origin] ?? "").trim();
  if (tokenFile.value === null) return null;
  const refused = (accepted: string) =>
    new InvalidInputError([{ parameter: tokenFile.origin, value: tokenFile.value ?? "", accepted }]);
  let text: string;
  try {
    text = readFileSync(tokenFile.value, "utf8").trim();
  } catch {
    throw refused("it cannot be read");
  }
  if (!isToken(text)) throw refused(`it contains no valid token: ${TOKEN_RULE}`);
  return text;
}
