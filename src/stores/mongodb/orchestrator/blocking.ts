import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import { text } from "../collections/fields.ts";
import type { MongoReading } from "../collections/reading.ts";

/** Which invocation waits for which, latest wait first. */
export function blockingReads(reading: MongoReading): Pick<OrchestratorReads, "blockingEdges" | "countBlockingEdges"> {
  const edges = reading.of("orchestrator", "blocking_edges");

  return {
    async blockingEdges({ limit, offset }, id) {
      const filter = id === undefined ? {} : { $or: [{ waiter_id: id }, { waited_id: id }] };
      const found = await edges.find(filter, { sort: { _id: -1 }, skip: offset, limit });
      return found.map(({ waiter_id, waited_id }) => ({ waiter_id: text(waiter_id), waited_id: text(waited_id) }));
    },

    countBlockingEdges: () => edges.count({}),
  };
}
