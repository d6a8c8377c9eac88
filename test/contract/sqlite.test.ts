import { connectStore } from "../../src/stores/connect.ts";
import { copyFixture, type FixtureName, temporaryFolder } from "../support/fixtures.ts";
import { type Harness, storeContract } from "./store-contract.ts";

function harness(connect: typeof connectStore, threads: number) {
  return async (fixture: FixtureName): Promise<Harness> => {
    const folder = temporaryFolder();
    const store = connect({ kind: "sqlite", path: copyFixture(fixture, folder.path), components: new Map() }, threads);
    return {
      store,
      async close() {
        await store.close();
        folder.remove();
      },
    };
  };
}

storeContract("SQLite in this thread", harness(connectStore, 0));

// Worker threads load compiled code, which `npm test` builds first.
const compiled = new URL("../../dist/src/stores/connect.js", import.meta.url).href;
const built = (await import(compiled)) as { connectStore: typeof connectStore };
storeContract("SQLite in worker threads", harness(built.connectStore, 2));
