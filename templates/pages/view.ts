import type { Verdict } from "../../src/api/verdicts.ts";
import type { PageQuery } from "../query.ts";

/** What a page component is given. */
export interface View<Model> {
  model: Model;
  /** The page's own path: pagers, filters and tabs link there. */
  path: string;
  query: PageQuery;
  /** ISO 8601: the present for this page. */
  now: string;
  readOnly: boolean;
  /** Columns that the viewer chose, by field, on a list that lets them; none for the usual ones. */
  fields?: readonly string[] | undefined;
}

/** A detail whose page also shows the verdicts that concern it, and what could not be examined of what may concern it. */
export type WithVerdicts<Detail> = Detail & { verdicts?: readonly Verdict[]; not_looked_at?: readonly string[] };
