/** The query of a page, as forms and chips read it. */

/** The query as it was requested, without `app`. */
export type PageQuery = Readonly<Record<string, readonly string[] | undefined>>;

/** The value that counts when a parameter is given several times, as the services read it; empty when it is not given. */
export function lastValue(query: PageQuery, name: string): string {
  return query[name]?.at(-1)?.trim() ?? "";
}

/** What an address loses when it is to have another window of time. */
export const NO_WINDOW = { range: undefined, from: undefined, to: undefined };
