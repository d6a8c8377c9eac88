import type { GroupedBy, InvocationGroup, InvocationGroups } from "../../../src/api/invocations.ts";
import { count, visibleLine } from "../../../src/presentation/text.ts";
import { Count } from "../ui/count.tsx";

const TITLES: Readonly<Record<GroupedBy, string>> = { status: "Status", task: "Task", exception: "Exception" };

/** Groups of each facet that are linked. */
const SHOWN = 20;

export interface FacetsProps {
  facets: readonly InvocationGroups[];
  /** The same list with only this group; null if it cannot be chosen. */
  narrowed(by: GroupedBy, group: InvocationGroup): string | null;
}

/** The list counted by task and exception, folded; each count links to its part. */
export function Facets({ facets, narrowed }: FacetsProps) {
  if (facets.length === 0) return null;
  return (
    <details class="menu menu-right">
      <summary>Narrow down</summary>
      <dl class="menu-panel facets">
        {facets.map((facet) => (
          <div key={facet.by}>
            <dt class="menu-heading">{TITLES[facet.by]}</dt>
            <dd>
              <Groups facet={facet} narrowed={narrowed} />
              {!facet.complete && <p class="muted">{visibleLine(facet.notes.join(" "))}</p>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Groups({
  facet: { by, groups, groups_count },
  narrowed,
}: Pick<FacetsProps, "narrowed"> & { facet: InvocationGroups }) {
  return (
    <ul>
      {groups.slice(0, SHOWN).map((group) => {
        const { value, invocations } = group;
        const href = narrowed(by, group);
        const words = (
          <>
            <bdi>{value === null ? "not stored" : visibleLine(value) || "(empty)"}</bdi> <Count value={invocations} />
          </>
        );
        return <li key={value}>{href === null ? <span>{words}</span> : <a href={href}>{words}</a>}</li>;
      })}
      {groups_count > SHOWN && <li class="muted">and {count(groups_count - SHOWN)} more</li>}
    </ul>
  );
}
