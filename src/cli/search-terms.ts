/** Searches on the command line. */
import { queryValue } from "../services/input/query-text.ts";
import { isField } from "../services/model/invocation-query.ts";
import type { Flags } from "./flags.ts";

/** Arguments are search terms, like `--query`. */
export function withTerms(flags: Flags, terms: readonly string[]): Flags {
  if (terms.length === 0) return flags;
  const query = typeof flags.query === "string" ? [flags.query] : [];
  return { ...flags, query: [...query, ...terms.map(withQuotes)].join(" ") };
}

/** The shell removes the quotes of `error:"no such shelf"`; this restores them if a value contains spaces. */
function withQuotes(term: string): string {
  const [, head = "", field = "", value = ""] =
    /^(-?([a-z_]+)(?:\.[\w.-]+)?(?:[<>]=?|[:=]))([^"]*\s[^"]*)$/i.exec(term) ?? [];
  const several = /\s-?[a-z_]+(?:\.[\w.-]+)?[:=<>]/i.test(term);
  return several || !isField(field.toLowerCase()) ? term : `${head}${queryValue(value)}`;
}
