import type { RunCause } from "../../../src/api/model/trigger-objects.ts";
import { count, visibleLine } from "../../../src/presentation/text.ts";
import { causeWords } from "../../../src/pynenc/context-summary.ts";
import { useLinks } from "../../links.ts";
import { Id } from "../ui/id.tsx";

/** What took part in a trigger run, in a few words with the way to it. */
export function Causes({ causes, total }: { causes: readonly RunCause[]; total: number }) {
  const more = total - causes.length;
  return (
    <ul class="plain-list">
      {causes.map((cause) => (
        <li key={`${cause.kind} ${cause.event_id} ${cause.source_invocation_id} ${cause.timestamp}`}>
          <span class="stacked">
            <Cause cause={cause} />
          </span>
        </li>
      ))}
      {more > 0 && <li class="muted">and {count(more)} more</li>}
    </ul>
  );
}

function Cause({ cause }: { cause: RunCause }) {
  const links = useLinks();
  const { event_id: event, source_invocation_id: source } = cause;
  return (
    <>
      <bdi>{visibleLine(causeWords(cause))}</bdi>
      {event !== null && <Id value={event} href={links.event(event)} copy={false} />}
      {source !== null && <Id value={source} href={links.invocation(source)} copy={false} />}
    </>
  );
}
