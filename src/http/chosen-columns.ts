/** Columns that a viewer chose for a list, kept by the browser for the next visit. The address goes before. */
import { chosenNames } from "../services/input/chosen-names.ts";
import type { RouteRequest } from "./context.ts";

/** Each list has a cookie of this name, for its path alone. */
const NAME = "pynenc-monitor-columns";
const YEAR = 365 * 24 * 3600;

/** None means the usual columns. @throws InvalidInputError if the address names one that is not known */
export function chosenColumns({ query, headers }: RouteRequest, known: readonly string[]): string[] {
  return query.fields === undefined ? remembered(headers, known) : chosenNames(query.fields, known);
}

/** The cookie for a choice that the address makes, null where it makes none. The usual columns are not kept. */
export function columnsCookie({ query }: RouteRequest, path: string, known: readonly string[]): string | null {
  if (query.fields === undefined) return null;
  const names = chosenNames(query.fields, known);
  const kept = names.length === 0 ? 0 : YEAR;
  return `${NAME}=${names.join(".")}; Path=${path}; Max-Age=${kept}; SameSite=Lax; HttpOnly`;
}

/** Another version of the monitor, or another program on this host, may have written it: only names that are known count. */
function remembered(headers: Headers, known: readonly string[]): string[] {
  const cookies = headers.get("cookie")?.split(";") ?? [];
  const given = cookies.map((cookie) => cookie.trim().split("=")).find(([name]) => name === NAME)?.[1] ?? "";
  const words = given.split(".");
  return known.filter((name) => words.includes(name));
}
