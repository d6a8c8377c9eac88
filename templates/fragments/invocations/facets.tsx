import type { GroupedBy, InvocationGroup, InvocationGroups } from "../../../src/api/invocations.ts";
import { count, visibleLine } from "../../../src/presentation/text.ts";
import { Count } from "../ui/count.tsx";

const TITLES: Readonly<Record<GroupedBy, string>> = { status: "Status", task: "Task", exception: "Exception" };

/** Groups of each facet shown at first; the rest is behind a click. */
const SHOWN = 6;

export interface FacetsProps {
  facets: readonly InvocationGroups[];
  /** The same list with only this group; null if it cannot be chosen. */
  narrowed(by: GroupedBy, group: InvocationGroup): string | null;
}

/** The list counted by status, task and exception; each count links to its part. */
export function Facets({ facets, narrowed }: FacetsProps) {
  if (facets.length === 0) return null;
  return (
    <dl class="facets">
      {facets.map((facet) => (
        <div key={facet.by} class="facet">
          <dt>{TITLES[facet.by]}</dt>
          <dd>
            <Groups facet={facet} groups={facet.groups.slice(0, SHOWN)} narrowed={narrowed} />
            {facet.groups.length > SHOWN && (
              <details class="facet-more">
                <summary>{count(facet.groups_count - SHOWN)} more</summary>
                <Groups facet={facet} groups={facet.groups.slice(SHOWN)} narrowed={narrowed} />
              </details>
            )}
            {!facet.complete && <span class="muted">{visibleLine(facet.notes.join(" "))}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Groups({
  facet: { by },
  groups,
  narrowed,
}: Pick<FacetsProps, "narrowed"> & { facet: InvocationGroups; groups: readonly InvocationGroup[] }) {
  return (
    <ul class="facet-groups">
      {groups.map((group) => {
        const { value, invocations } = group;
        const href = narrowed(by, group);
        const words = (
          <>
            <bdi>{value === null ? "not stored" : visibleLine(value) || "(empty)"}</bdi> <Count value={invocations} />
          </>
        );
        return <li key={value}>{href === null ? <span>{words}</span> : <a href={href}>{words}</a>}</li>;
      })}
    </ul>
  );
}
