import type { Column } from "../../../src/presentation/facts/column.ts";
import { KeptParameters } from "../../layout/kept-parameters.tsx";
import { useLinks } from "../../links.ts";
import type { View } from "../../pages/view.ts";

export interface ColumnChoiceProps {
  columns: readonly Pick<Column<never>, "of" | "label" | "hint" | "extra">[];
  /** Names of further columns that are not shown unless they are chosen. */
  unusual?: readonly string[] | undefined;
  view: Pick<View<unknown>, "fields" | "query" | "path">;
}

/** Placed above the refreshed part, because a refresh would close it. A cookie keeps the choice for the next visit, without scripts. */
export function ColumnChoice({ columns, unusual = [], view: { fields = [], query, path } }: ColumnChoiceProps) {
  const links = useLinks();
  const { fields: _fields, ...others } = query;
  const [first, ...choices] = columns;
  const isUsual = ({ of: [name], extra }: (typeof columns)[number]) => !extra && !unusual.includes(name);
  const kept = Object.entries(others).flatMap(([name, values]) => (values ?? []).map((value) => ({ name, value })));
  return (
    <details class="menu menu-right columns-menu">
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
          <input type="hidden" name="fields" value={first?.of[0]} />
          <ul class="columns-list">
            {choices.map((column) => {
              const [name] = column.of;
              const shown = fields.length === 0 ? isUsual(column) : fields.includes(name);
              return (
                <li key={name}>
                  <label class="check" title={column.hint}>
                    <input type="checkbox" name="fields" value={name} checked={shown} />
                    {column.label}
                  </label>
                </li>
              );
            })}
          </ul>
          <div class="row">
            <button class="button primary" type="submit">
              Apply
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
