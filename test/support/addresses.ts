/** Addresses of things in the recorded run of kitchen_sink.db. */
import { factsOf } from "./fixtures.ts";

const APP = "kitchen_sink";

/** Ids by the name of the parameter in a path, taken from the fixture. */
export const IDS = {
  event_id: "c0baec27-3325-4d0f-8485-a0cb205c8e46",
  run_id: "b2cc362d-3b88-45d3-a232-b0136b0e7e41",
  runner_id: "b6276e23-f634-47c8-a027-8de8cdbf1a82",
  task_id_key: "tasks.add",
  call_id_key: "tasks.add:e2ab160d425ea799f5bdbe699b94a481ba0c8badfbcb2640fcb31b4ab45f9432",
  type_key: "tasks.wf_outer",
  workflow_id: "f34fc22d-9a1f-4e0c-b246-1a5913437c67",
} satisfies Readonly<Record<string, string>>;

/** Ids by the part of a path in front of `:id`. */
export const ID_OF = {
  invocations: factsOf("kitchen_sink.db", APP).blocking[0]?.[0] ?? "",
  events: IDS.event_id,
  "trigger-runs": "56782980f24c1fc0982b078cd8dc9b104c8043cdc81d74cc20861ef869333eb3",
  triggers: "21c101fd1b2a03b07ce3113d82900e106a5ca1577379f268b0a718049028b14b",
  runners: IDS.run_id,
} satisfies Readonly<Record<string, string>>;

/** The address of a route, with ids of things that are there. */
export function addressOf(path: string): string {
  const [ids, idOf]: Readonly<Record<string, string>>[] = [IDS, ID_OF];
  return path.replace(/(?:\*\*)?:(\w+)/g, (_, name: string) =>
    encodeURIComponent(name === "id" ? (idOf?.[path.split("/")[1] ?? ""] ?? "") : (ids?.[name] ?? APP)),
  );
}
