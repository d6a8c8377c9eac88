import type { ComponentChildren } from "preact";
import type { FamilyTree } from "../../../src/api/causes.ts";
import { FAMILY_EDGE_WORDS } from "../../../src/presentation/edge-words.ts";
import type { Query } from "../../../src/presentation/links.ts";
import { count, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { FamilyTreeSvg } from "../../svg/family-tree.tsx";
import { Id } from "../ui/id.tsx";
import { Notes } from "../ui/notes.tsx";

export interface FamilyFigureProps {
  tree: FamilyTree;
  /** The limits in the query, which further loading keeps. */
  limits?: Query | undefined;
  /** Links next to the zoom. */
  actions?: ComponentChildren;
}

/** A family tree that scrolls in its own frame, with what belongs to reading it. `client/family-tree.ts` adds zoom and light. */
export function FamilyFigure({ tree, limits, actions }: FamilyFigureProps) {
  const legend = Object.entries(FAMILY_EDGE_WORDS).filter(([kind]) =>
    tree.nodes.some((node) => node.edge_kind === kind),
  );
  return (
    <figure id="family" class="stack" aria-label="Family tree" data-expand={tree.expand.join(",")}>
      <div class="row">
        <span class="muted">{summary(tree)}</span>
        <div class="actions">
          {actions}
          <InTimeline tree={tree} />
          <Zoom />
        </div>
      </div>
      <Beginning tree={tree} />
      <section class="family-scroll" tabindex={0} aria-label="Invocations and what led to them">
        <FamilyTreeSvg tree={tree} limits={limits} />
      </section>
      <div class="row">
        {legend.map(([kind, words]) => (
          <span key={kind} class="status small">
            <svg width="32" height="8" aria-hidden="true">
              <path class={`edge edge-${kind}`} d="M1 4H31" />
            </svg>
            {words.legend}
          </span>
        ))}
      </div>
      <Notes notes={tree.notes} tone="info" />
    </figure>
  );
}

/** More ids than this make an address too long. */
const MOST_IDS = 100;

/** Link to the same invocations on the timeline. */
function InTimeline({ tree }: { tree: FamilyTree }) {
  const links = useLinks();
  const ids = tree.nodes.slice(0, MOST_IDS).map((node) => node.invocation_id);
  return (
    <a class="button" href={links.timeline({ selected: tree.focus_id, inv_ids: ids.join(",") })}>
      Timeline
    </a>
  );
}

function summary({ nodes, levels, truncated }: FamilyTree): string {
  const people = nodes.length === 1 ? "1 invocation" : `${count(nodes.length)} invocations`;
  return `${people} in ${levels === 1 ? "1 generation" : `${count(levels)} generations`}${truncated ? "; more are left out" : ""}`;
}

/** What precedes the root: nothing, an event from outside, a trigger, or more generations than are shown. */
function Beginning({ tree: { above_id, root_event, root_trigger_run_id } }: { tree: FamilyTree }) {
  const links = useLinks();
  if (above_id !== null) {
    return (
      <p>
        There are more ancestors: <a href={links.familyTree(above_id)}>show the tree from the one above</a>.
      </p>
    );
  }
  if (root_event === null && root_trigger_run_id === null) return null;
  return (
    <p>
      The first was started
      {root_event !== null && (
        <>
          {" by event "}
          {root_event.event_code !== null && <bdi class="event-code">{visibleLine(root_event.event_code)} </bdi>}
          <Id
            value={root_event.event_id}
            href={root_event.event_code === null ? undefined : links.event(root_event.event_id)}
            copy={false}
          />
        </>
      )}
      {root_trigger_run_id !== null && (
        <>
          {" in trigger run "}
          <Id value={root_trigger_run_id} href={links.triggerRun(root_trigger_run_id)} copy={false} />
        </>
      )}
      .
    </p>
  );
}

function Zoom() {
  return (
    <fieldset class="family-zoom row needs-script" aria-label="Zoom of the family tree">
      <button class="button" type="button" data-zoom="out" aria-label="Smaller">
        −
      </button>
      <button class="button" type="button" data-zoom="in" aria-label="Larger">
        +
      </button>
      <button class="button" type="button" data-zoom="fit">
        Fit
      </button>
    </fieldset>
  );
}
