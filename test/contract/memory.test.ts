/** The model that services are tested on answers as the real stores do. */
import { actionsContract } from "./actions-contract.ts";
import { memoryHarness } from "./memory-harness.ts";
import { storeContract } from "./store-contract.ts";

storeContract("memory", memoryHarness);
actionsContract("memory", memoryHarness);
