import { sqliteHarness } from "./sqlite-harness.ts";
import { storeContract } from "./store-contract.ts";

storeContract("SQLite in this thread", sqliteHarness(0));
// A thread answers as this one does: the newest layouts hold every kind of value that travels between them.
storeContract("SQLite in worker threads", sqliteHarness(2), ["kitchen_sink.db", "queues_040.db"]);
