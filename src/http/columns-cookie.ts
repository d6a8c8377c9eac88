/** The columns of the list of invocations, kept by the browser for the next visit. The address goes before. */
import { INVOCATION_FIELDS, type InvocationField } from "../services/invocations/exports.ts";

const NAME = "pynenc-monitor-columns";
const YEAR = 365 * 24 * 3600;

/** None means the default, and that nothing is kept. */
export function columnsCookie(fields: readonly InvocationField[]): string {
  const kept = fields.length === 0 ? 0 : YEAR;
  return `${NAME}=${fields.join(".")}; Path=/invocations/; Max-Age=${kept}; SameSite=Lax; HttpOnly`;
}

/** Another version of the monitor, or another program on this host, may have written it: only names that are known count. */
export function columnsOf(headers: Headers): InvocationField[] {
  const cookies = headers.get("cookie")?.split(";") ?? [];
  const given = cookies.map((cookie) => cookie.trim().split("=")).find(([name]) => name === NAME)?.[1] ?? "";
  const words = given.split(".");
  return INVOCATION_FIELDS.filter((field) => words.includes(field));
}
