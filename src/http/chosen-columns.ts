/** Columns that a viewer chose for a list, remembered by the browser. An address that names columns takes precedence. */
import { chosenNames } from "../services/input/chosen-names.ts";
import type { RouteRequest } from "./context.ts";

/** Each list has a cookie of this name, limited to its path. */
const NAME = "pynenc-monitor-columns";
const YEAR = 365 * 24 * 3600;

/** Empty for the usual columns. @throws InvalidInputError if the address names an unknown column */
export function chosenColumns({ query, headers }: RouteRequest, known: readonly string[]): string[] {
  return query.fields === undefined ? remembered(headers, known) : chosenNames(query.fields, known);
}

/** The cookie for the columns in the address; null if it names none. The usual columns clear the cookie. */
export function columnsCookie({ query, server }: RouteRequest, path: string, known: readonly string[]): string | null {
  if (query.fields === undefined) return null;
  const names = chosenNames(query.fields, known);
  const kept = names.length === 0 ? 0 : YEAR;
  return `${NAME}=${names.join(".")}; Path=${server.basePath}${path}; Max-Age=${kept}; SameSite=Lax; HttpOnly`;
}

/** Ignores unknown names, because another version of the monitor or another program on this host may have written the cookie. */
function remembered(headers: Headers, known: readonly string[]): string[] {
  const cookies = headers.get("cookie")?.split(";") ?? [];
  const given = cookies.map((cookie) => cookie.trim().split("=")).find(([name]) => name === NAME)?.[1] ?? "";
  const words = given.split(".");
  return known.filter((name) => words.includes(name));
}
