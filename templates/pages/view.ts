/** What a page component is given. */
export interface View<Model> {
  model: Model;
  /** The page's own path: pagers, filters and tabs link there. */
  path: string;
  /** The query as it came, without `app`. */
  query: Readonly<Record<string, readonly string[] | undefined>>;
  /** ISO 8601: the present for this page. */
  now: string;
  readOnly: boolean;
}
