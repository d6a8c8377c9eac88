import { actionsContract } from "./actions-contract.ts";
import { sqliteHarness } from "./sqlite-harness.ts";

actionsContract("SQLite in this thread", sqliteHarness(0));
// A thread answers as this one does: what travels between them does not depend on the layout, the name of the app or the number of rows.
actionsContract("SQLite in a worker thread", sqliteHarness(1), (fixture) =>
  fixture === "pending_triggers.db" ? ["pending_triggers"] : [],
);
