import type { FunctionComponent } from "preact";
import type { Verdict } from "../../src/api/verdicts.ts";
import type { NavKey } from "../../src/presentation/nav-entries.ts";
import type { IdWanted } from "../../src/services/model/resolve-ids.ts";
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

/** What a page is, apart from where its model comes from. A page that shows the answer to a question exports it as `page`. */
export interface Page<Model extends object> {
  /** Id of the element that is refreshed. */
  region: string;
  /** Null for a page that is not in the navigation. */
  nav: NavKey | null;
  /** The page answers a single question and does not refresh itself. */
  still?: true;
  /** The page shows more than what the store holds, so no answer is remembered. */
  beyondStore?: true;
  /** The object of the page: the parameter with its id, which may be shortened, and its possible kinds. */
  about?: { kind: IdWanted["kinds"][number] | IdWanted["kinds"]; in: "path" | "query"; name: string };
  /**
   * The page takes `range`, `from` and `to`. Other pages only pass them on in their navigation links. A function returns the window shown, if
   * it is not simply the requested one, and its default length.
   */
  timed?: true | ((model: Model) => { start: string | null; end: string | null; preset?: string });
  /** Columns that a viewer may choose with `fields`. Only the page reads this parameter; the choice is remembered (chosen-columns.ts). */
  columns?: readonly string[];
  /**
   * How the page follows an instant of the past (`at`): its model is of then, or it shows a range of time, which then ends there. Other pages show the
   * present, unless their service has the parameter or `past` makes another page.
   */
  follows?: "model" | "range";
  /** What the page shows of the present also in the past, as a sentence. */
  present?: string;
  title(model: Model): string;
  /** Content above the refreshed part, such as forms that a refresh must not touch. */
  header?: FunctionComponent<View<Model>>;
  content: FunctionComponent<View<Model>>;
}
