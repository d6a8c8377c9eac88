import { useLinks } from "../../links.ts";
import { lastValue, type PageQuery } from "../../query.ts";
import { FilterForm, HiddenField, TextField } from "../ui/filter-form.tsx";

/** Changes queue or priority and repeats the preview. Only for stores with named queues. */
export function RouteForm({ path, query, note }: { path: string; query: PageQuery; note?: string | undefined }) {
  const links = useLinks();
  const { queue, priority, ...others } = query;
  return (
    <details class="card folded-card" id="card-route" open={queue !== undefined || priority !== undefined}>
      <summary>
        <h2>Change queue or priority</h2>
      </summary>
      <div class="card-body">
        <FilterForm
          path={path}
          clearHref={queue === undefined && priority === undefined ? undefined : links.current(path, others)}
        >
          {Object.entries(others).flatMap(([name, values = []]) =>
            values.map((value) => <HiddenField key={`${name} ${value}`} name={name} value={value} />),
          )}
          <TextField name="queue" label="Queue" value={lastValue(query, "queue")} hint="Empty: as shown above" />
          <TextField
            name="priority"
            label="Priority"
            value={lastValue(query, "priority")}
            hint="From -100 to 100; higher is taken first"
          />
        </FilterForm>
      </div>
      {note !== undefined && <p class="card-foot">{note}</p>}
    </details>
  );
}
