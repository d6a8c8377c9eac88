import { sqliteHarness } from "./sqlite-harness.ts";
import { storeContract } from "./store-contract.ts";

storeContract("SQLite in this thread", sqliteHarness(0));
storeContract("SQLite in worker threads", sqliteHarness(2));
