import type { ComponentChildren } from "preact";
import type { BlockingPair, OrchestratorOverview } from "../../../src/api/components.ts";
import { count } from "../../../src/presentation/text.ts";
import { Card } from "../ui/card.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { Time } from "../ui/time.tsx";
import { InvocationLink } from "./invocation-link.tsx";

export function Blocking({
  model: { blocking, blocking_count, blocking_complete, settings },
}: {
  model: OrchestratorOverview;
}) {
  const off = settings.some((row) => row.field === "blocking_control" && row.value === "off");
  return (
    <Card
      id="blocking"
      title="Who waits for whom"
      flush
      actions={
        blocking_count > blocking.length && (
          <span class="muted">
            the first {count(blocking.length)} of {blocking_complete ? "" : "at least "}
            {count(blocking_count)}
          </span>
        )
      }
    >
      <PairTable
        pairs={blocking}
        caption="Invocations that wait for the result of another one"
        waiter="Waiting invocation"
        empty={
          <Empty
            title={
              blocking_complete ? "No invocation waits for another" : "None of the latest recorded waits is current"
            }
          >
            {off && "blocking_control is off, so waits are not recorded."}
          </Empty>
        }
      />
    </Card>
  );
}

/** Stale rows that pynenc left: shown, so that readers of the table do not take them for waits. */
export function StaleBlocking({ model: { stale_blocking, stale_blocking_count } }: { model: OrchestratorOverview }) {
  if (stale_blocking.length === 0) return null;
  return (
    <Card
      id="stale-blocking"
      title={`Left over waits (${count(stale_blocking_count)})`}
      flush
      actions={
        stale_blocking_count > stale_blocking.length && (
          <span class="muted">the first {count(stale_blocking.length)}</span>
        )
      }
    >
      <div class="card-part">
        <p class="muted">
          These waits are recorded, but are over: one of the two invocations is final or has no status in the
          orchestrator.
        </p>
      </div>
      <PairTable
        pairs={stale_blocking}
        caption="Recorded waits that are over"
        waiter="Invocation that waited"
        empty={null}
      />
    </Card>
  );
}

function PairTable({
  pairs,
  caption,
  waiter,
  empty,
}: {
  pairs: readonly BlockingPair[];
  caption: string;
  /** Label of the column. */
  waiter: string;
  empty: ComponentChildren;
}) {
  return (
    <DataTable
      caption={caption}
      columns={[
        { label: waiter, rowHeader: true },
        { label: "For" },
        { label: "In that status since", roomy: true, hint: "Latest status change of the invocation it waits for" },
      ]}
      rows={pairs.map((pair) => ({
        key: pairKey(pair),
        cells: [
          <InvocationLink key="waiter" row={pair.waiter} />,
          <InvocationLink key="waited" row={pair.waited} />,
          <Time key="since" iso={pair.waited.status_at} relative />,
        ],
      }))}
      empty={empty}
    />
  );
}

function pairKey({ waiter, waited }: BlockingPair): string {
  return `${waiter.invocation_id} ${waited.invocation_id}`;
}

/** Lists end here, so that this many may be more. */
export const LISTED = 100;
