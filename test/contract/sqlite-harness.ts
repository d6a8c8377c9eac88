import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { connectStore } from "../../src/stores/connect.ts";
import { change, rowSets } from "../stores/sqlite/rows.ts";
import { copyFixture, type FixtureName, temporaryFolder } from "../support/fixtures.ts";
import type { Harness } from "./store-contract.ts";

/** Opens copies of the fixtures. @param threads as in ConnectOptions. The worker behind a thread is compiled code, which `npm test` builds first. */
export function sqliteHarness(threads: number): (fixture: FixtureName) => Promise<Harness> {
  return async (fixture) => {
    const folder = temporaryFolder();
    const path = copyFixture(fixture, folder.path);
    const store = await connectStore(
      { kind: "sqlite", path, components: new Map() },
      { threads, lockWait: 1, readOnly: false },
    );
    return {
      store,
      keeps: {
        queue_times: true,
        value_times: true,
        link_times: true,
        link_runs: true,
        empty_families: true,
        layout: true,
        microseconds: true,
      },
      grownBy: (registered) => ({
        "state_backend invocations": registered.length,
        "state_backend history": registered.length,
        "state_backend runner_contexts": 1,
        "orchestrator invocations": registered.length,
        "orchestrator invocation_args": registered.reduce((n, one) => n + one.indexed_arguments, 0),
        "broker message_queue": registered.length,
      }),
      stored: async () => new Map(Object.entries(rowSets(path))),
      queuePlaces: (appId) => ({
        messages: [`${tablePrefix(appId)}__broker_message_queue`],
        // The table counts its rows in SQLite's own.
        besides: ["sqlite_sequence"],
      }),
      setStatus: async (appId, id, status) =>
        change(
          path,
          status === null
            ? `DELETE FROM ${tablePrefix(appId)}__orchestrator_invocations WHERE invocation_id = '${id}'`
            : `UPDATE ${tablePrefix(appId)}__orchestrator_invocations
               SET status = '${status.word}', auto_purge_timestamp = ${status.final_since} WHERE invocation_id = '${id}'`,
        ),
      argument_index: "orchestrator invocation_args",
      stride: 1,
      async close() {
        await store.close();
        folder.remove();
      },
    };
  };
}
