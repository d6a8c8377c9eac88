import { describeWithFerret } from "../support/ferretdb-server.ts";
import { FACTS } from "../support/fixtures.ts";
import { actionsContract } from "./actions-contract.ts";
import { mongoHarness } from "./mongodb-harness.ts";

// FerretDB takes seconds for each test on a large fixture: those are left out, apart from the reads.
describeWithFerret("a MongoDB server", () =>
  actionsContract("MongoDB", mongoHarness(), (fixture) =>
    fixture.startsWith("kitchen_sink") ? [] : Object.keys(FACTS[fixture]).slice(-1),
  ),
);
