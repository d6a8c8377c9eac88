import { describeWithMongo } from "../support/mongodb-server.ts";
import { mongoHarness } from "./mongodb-harness.ts";
import { storeContract } from "./store-contract.ts";

describeWithMongo("a MongoDB server", () => {
  storeContract("MongoDB", mongoHarness());
  // A thread answers as this one does, and what travels between them is the same for each kind of store: sqlite.test.ts has every kind of value.
  storeContract("MongoDB in a worker thread", mongoHarness(1), ["pending_triggers.db"]);
});
