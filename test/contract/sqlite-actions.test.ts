import { actionsContract } from "./actions-contract.ts";
import { sqliteHarness } from "./sqlite-harness.ts";

actionsContract("SQLite in this thread", sqliteHarness(0));
// A thread answers as this one does: what travels between them does not depend on the layout, nor on the name of the app.
actionsContract("SQLite in a worker thread", sqliteHarness(1), (fixture) =>
  fixture === "kitchen_sink.db" ? ["kitchen_sink"] : [],
);
