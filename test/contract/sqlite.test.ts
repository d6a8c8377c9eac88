import { connectStore } from "../../src/stores/connect.ts";
import { copyFixture, type FixtureName, temporaryFolder } from "../support/fixtures.ts";
import { actionsContract } from "./actions-contract.ts";
import { type Harness, storeContract } from "./store-contract.ts";

function harness(threads: number) {
  return async (fixture: FixtureName): Promise<Harness> => {
    const folder = temporaryFolder();
    const store = connectStore(
      { kind: "sqlite", path: copyFixture(fixture, folder.path), components: new Map() },
      { threads, lockWait: 1, readOnly: false },
    );
    return {
      store,
      async close() {
        await store.close();
        folder.remove();
      },
    };
  };
}

storeContract("SQLite in this thread", harness(0));
actionsContract("SQLite in this thread", harness(0));

// The worker behind a thread is compiled code, which `npm test` builds first.
storeContract("SQLite in worker threads", harness(2));
actionsContract("SQLite in worker threads", harness(2));
