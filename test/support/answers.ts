/** Holds every JSON answer that a test gets against its schema, strictly: a member that the schema does not name fails too. */
import type { z } from "zod";
import { CommandFailure, Failure } from "../../src/api/problem.ts";
import { SCHEMA_VERSION } from "../../src/api/version.ts";
import { operations, printed } from "../../src/questions/derived/operations.ts";
import { SchemaList } from "../../src/questions/derived/schemas.ts";

export const [OPERATIONS, PRINTED] = await Promise.all([operations(), printed()]);

/** The answer without the version that every object has; the problem where it has none. */
function unversioned(document: unknown): { value: unknown; problems: string[] } {
  if (Array.isArray(document)) return { value: document, problems: [] };
  const { schema_version, ...value } = document as Record<string, unknown>;
  return { value, problems: schema_version === SCHEMA_VERSION ? [] : ["schema_version: not that of the schemas"] };
}

/** What is wrong with a value, one line each; empty when it is just what the schema says. */
export function differences(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    return parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).slice(0, 20);
  }
  // Zod leaves out what the schema does not name.
  return leftOut(value, parsed.data, "").slice(0, 20);
}

function leftOut(value: unknown, parsed: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (typeof parsed !== "object" || parsed === null) return [`${path}: lost`];
  const kept = parsed as Record<string, unknown>;
  return Object.entries(value).flatMap(([name, member]) => {
    const place = path === "" ? name : `${path}.${name}`;
    return Object.hasOwn(kept, name) ? leftOut(member, kept[name], place) : [`${place}: not in the schema`];
  });
}

/** The operation of an address: a literal segment wins over a parameter, as in the server. */
export function operationOf(method: string, pathname: string): string | undefined {
  const segments = pathname.split("/");
  const fitting = Object.keys(OPERATIONS).filter((key) => {
    const [verb = "", path = ""] = key.split(" ");
    return verb === method && fits(path.split("/"), segments);
  });
  return fitting.sort((a, b) => specificity(b) - specificity(a))[0];
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  const rest = pattern.findIndex((part) => part.startsWith("**"));
  if (rest >= 0) return segments.length > rest && fits(pattern.slice(0, rest), segments.slice(0, rest));
  // Collections answer with and without the slash at the end.
  const given = pattern.at(-1) === "" && segments.length === pattern.length - 1 ? [...segments, ""] : segments;
  return (
    given.length === pattern.length &&
    pattern.every((part, at) => (part.startsWith(":") ? given[at] !== "" : part === given[at]))
  );
}

/** Segments count from the left; a literal one outweighs a parameter, and that the rest of a path. */
function specificity(key: string): number {
  const digits = key.split("/").map((part) => (part.startsWith("**") ? "1" : part.startsWith(":") ? "2" : "3"));
  return Number(digits.join("").padEnd(9, "0"));
}

/** @throws Error that lists what differs, for an answer in JSON. */
export async function assertAnswer(method: string, target: string, response: Response): Promise<void> {
  const type = response.headers.get("content-type")?.split(";")[0];
  if (method === "HEAD" || (type !== "application/json" && type !== "application/problem+json")) return;
  const { pathname, searchParams } = new URL(target, "http://monitor");
  // These have forms that are not ours: OpenAPI's, and that of trace viewers.
  if (pathname === "/openapi.json" || searchParams.get("format") === "trace") return;
  const key = operationOf(method, pathname);
  const answer = key === undefined ? null : OPERATIONS[key]?.answer;
  const schema = response.status >= 400 ? Failure : answer;
  if (schema === null || schema === undefined) throw new Error(`${method} ${pathname} answers JSON and has no schema`);
  const { value, problems } = unversioned(await response.clone().json());
  report(`${method} ${target}`, [...problems, ...differences(schema, value)]);
}

/** The same for what a command printed with `--json`. */
export function assertPrinted(command: string, stdout: string): void {
  const schemas = command === "schema" ? [SchemaList] : PRINTED[command];
  if (schemas === undefined) throw new Error(`${command} prints JSON and has no schema`);
  // Log lines come one document a line.
  const documents = command === "logs" ? stdout.split("\n").filter((line) => line !== "") : [stdout];
  for (const text of documents) {
    const { value, problems } = unversioned(JSON.parse(text));
    report(`monitor ${command} --json`, problems);
    const wrong = schemas.map((schema) => differences(schema, value));
    if (!wrong.some((found) => found.length === 0)) report(`monitor ${command} --json`, wrong.flat());
  }
}

/** The same for how it said on stderr why it failed. */
export function assertFailure(text: string): void {
  const { value, problems } = unversioned(JSON.parse(text));
  report("the failure of a command", [...problems, ...differences(CommandFailure, value)]);
}

function report(what: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`${what} is not as its schema says:\n${problems.join("\n")}`);
}
