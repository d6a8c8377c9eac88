/** Names of values that must not be shown. */

export const MASK = "••••••";

/** Compared with names without separators and case, so `api_key`, `apiKey` and `API-KEY` are the same. */
export const SECRET_WORDS = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "apikey",
  "accesskey",
  "accountkey",
  "authorization",
  "credential",
  "privatekey",
];

/** Names that only mean a secret as a URL parameter; as ordinary names they are too common to mask. */
export const SECRET_PARAMETERS = new Set(["auth", "pass", "pwd", "sig"]);

/** Whether the name alone marks its value as a secret. */
export function isSecretKey(name: string): boolean {
  const word = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return SECRET_WORDS.some((secret) => word.includes(secret));
}
