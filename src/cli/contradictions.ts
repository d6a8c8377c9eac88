/**
 * Flags that exclude each other on a command line. A flag that differs from a variable or a file is not a contradiction: the flag wins. What depends on
 * the values of flags, or on where they come from, is checked where these are read.
 */
import { InvalidInputError } from "../errors.ts";

export interface Contradiction {
  one: string;
  others: readonly string[];
  /** A sentence fragment. */
  why: string;
}

export const CONTRADICTIONS: readonly Contradiction[] = [
  { one: "--no-token", others: ["--token", "--token-file"], why: "one asks for a token, the other for none" },
  { one: "--token-file", others: ["--token"], why: "each says where the token comes from" },
  { one: "--no-color", others: ["--color"], why: "--no-color is --color never" },
  { one: "--utc", others: ["--local"], why: "each names the time zone" },
  { one: "--dry-run", others: ["--yes"], why: "--dry-run changes nothing, so there is nothing to agree to" },
  { one: "--no-serve", others: ["--open"], why: "nothing is served that a browser could open" },
  { one: "--no-values", others: ["--logs"], why: "lines of logs may hold values" },
  {
    one: "--web",
    others: ["--json", "--watch", "--format", "--fields"],
    why: "a page is opened, and nothing is printed but its address",
  },
  { one: "--at", others: ["--watch"], why: "the past does not change" },
];

/** @param given long names of flags, as on the command line. @throws InvalidInputError */
export function refuseContradictions(given: ReadonlySet<string>): void {
  for (const { one, others, why } of CONTRADICTIONS) {
    const other = others.find((name) => given.has(name));
    if (other === undefined || !given.has(one)) continue;
    const problem = { parameter: one, value: "", accepted: `use it or ${other}, not both: ${why}` };
    throw new InvalidInputError([problem], null, `${one} and ${other} contradict each other: ${why}.`);
  }
}
