import { actionsContract } from "./actions-contract.ts";
import { sqliteHarness } from "./sqlite-harness.ts";

actionsContract("SQLite in this thread", sqliteHarness(0));
actionsContract("SQLite in worker threads", sqliteHarness(2));
