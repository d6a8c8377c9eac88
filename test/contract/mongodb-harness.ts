import { Double } from "mongodb";
import type { FixtureName } from "../support/fixtures.ts";
import { chunkedForm, mongoPrefix } from "../support/mongodb-data.ts";
import { allDocuments, mongoFixtures } from "../support/mongodb-fixtures.ts";
import { IS_FERRET } from "../support/mongodb-server.ts";
import { mongoStoreOn } from "../support/mongodb-store.ts";
import type { Everything } from "./everything.ts";
import type { Harness } from "./store-contract.ts";

/** Opens the apps of the fixtures as documents: call it inside `describe`. @param threads as in ConnectOptions. */
export function mongoHarness(threads = 0): (fixture: FixtureName) => Promise<Harness> {
  const load = mongoFixtures();
  return async (fixture) => {
    const loaded = await load(fixture);
    const store = mongoStoreOn(loaded, { threads, timeout: 150 });
    return {
      store,
      keeps: {
        queue_times: true,
        value_times: true,
        link_times: false,
        link_runs: false,
        empty_families: true,
        layout: true,
        microseconds: false,
      },
      grownBy: (registered, before) => ({
        "state_backend chunks": registered.reduce((n, one) => n + chunksOf(one.invocation_id, before), 0),
        "state_backend invocations": registered.length,
        "state_backend history": registered.length,
        "state_backend runner_contexts": 1,
        "orchestrator invocations": registered.length,
        "orchestrator invocation_args": registered.reduce((n, one) => n + one.indexed_arguments, 0),
        "broker message_queue": registered.length,
      }),
      stored: () => allDocuments(loaded.db),
      queuePlaces: (appId) => ({ messages: [`${mongoPrefix(appId)}_broker_message_queue`], besides: [] }),
      async setStatus(appId, invocation_id, status) {
        const invocations = loaded.db.collection(`${mongoPrefix(appId)}_orchestrator_invocations`);
        if (status === null) await invocations.deleteOne({ invocation_id });
        else {
          const auto_purge_timestamp = status.final_since === null ? null : new Double(status.final_since);
          await invocations.updateOne({ invocation_id }, { $set: { status: status.word, auto_purge_timestamp } });
        }
      },
      argument_index: "orchestrator invocation_args",
      // FerretDB knows no index, and sorts all documents for each step of a walk.
      stride: IS_FERRET && fixture.startsWith("kitchen_sink") ? 10 : 1,
      async close() {
        await store.close();
        await loaded.close();
      },
    };
  };
}

/** In how many chunks the arguments of an invocation are. */
function chunksOf(id: string, { definitions }: Everything): number {
  const stored = definitions.find((record) => record.invocation_id === id)?.serialized_arguments ?? "{}";
  return chunkedForm("", JSON.parse(stored)).chunks.length;
}
