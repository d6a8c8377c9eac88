import { FACTS } from "../support/fixtures.ts";
import { describeWithMongo, IS_FERRET } from "../support/mongodb-server.ts";
import { actionsContract } from "./actions-contract.ts";
import { mongoHarness } from "./mongodb-harness.ts";

// FerretDB takes seconds for each test on a large fixture: those are left out there, apart from the reads.
describeWithMongo("a MongoDB server", () =>
  actionsContract("MongoDB", mongoHarness(), (fixture) =>
    IS_FERRET && fixture.startsWith("kitchen_sink") ? [] : Object.keys(FACTS[fixture]).slice(-1),
  ),
);
