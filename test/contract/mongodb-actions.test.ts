import { describeWithFerret } from "../support/ferretdb-server.ts";
import { actionsContract } from "./actions-contract.ts";
import { mongoHarness } from "./mongodb-harness.ts";

describeWithFerret("a MongoDB server", () => actionsContract("MongoDB", mongoHarness()));
