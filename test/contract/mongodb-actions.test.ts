import { describeWithFerret } from "../support/ferretdb-server.ts";
import { FACTS } from "../support/fixtures.ts";
import { actionsContract } from "./actions-contract.ts";
import { mongoHarness } from "./mongodb-harness.ts";

// FerretDB takes seconds for each test on a large fixture. That of pynenc 0.2.3 is left out, apart from the reads; of the other one, what is
// the same on the small ones.
describeWithFerret("a MongoDB server", () =>
  actionsContract(
    "MongoDB",
    mongoHarness(),
    (fixture) => (fixture === "kitchen_sink_023.db" ? [] : Object.keys(FACTS[fixture]).slice(-1)),
    ["kitchen_sink.db"],
  ),
);
