import type { ListColumns } from "../../../src/presentation/list-columns.ts";
import { KeptParameters } from "../../layout/kept-parameters.tsx";
import { useLinks } from "../../links.ts";
import type { View } from "../../pages/view.ts";

export interface ColumnChoiceProps {
  columns: ListColumns;
  /** Fields of columns that are not shown unless they are chosen. */
  unusual?: readonly string[] | undefined;
  view: Pick<View<unknown>, "fields" | "query" | "path">;
}

/** Placed above the refreshed part, because a refresh would close it. A cookie keeps the choice for the next visit, without scripts. */
export function ColumnChoice({ columns, unusual = [], view: { fields = [], query, path } }: ColumnChoiceProps) {
  const links = useLinks();
  const { fields: _fields, ...others } = query;
  const [[first], ...choices] = columns;
  const shown = (field: string) => (fields.length === 0 ? !unusual.includes(field) : fields.includes(field));
  const kept = Object.entries(others).flatMap(([name, values]) => (values ?? []).map((value) => ({ name, value })));
  return (
    <details class="menu columns-menu">
      <summary>
        <span>Columns</span>
        {fields.length > 0 && <span class="mark">chosen</span>}
      </summary>
      <div class="menu-panel">
        <form action={links.formAction(path)} method="get">
          <KeptParameters />
          {kept.map(({ name, value }) => (
            <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
          ))}
          {/* The first column is always shown, so that the address is valid even if no other column is chosen. */}
          <input type="hidden" name="fields" value={first} />
          <ul class="columns-list">
            {choices.map(([field, label]) => (
              <li key={field}>
                <label title={field}>
                  <input type="checkbox" name="fields" value={field} checked={shown(field)} />
                  {label}
                </label>
              </li>
            ))}
          </ul>
          <div class="filter-actions">
            <button class="button primary" type="submit">
              Show
            </button>
            <a class="button quiet" href={links.current(path, { ...others, fields: "usual" })}>
              Usual columns
            </a>
          </div>
        </form>
      </div>
    </details>
  );
}
