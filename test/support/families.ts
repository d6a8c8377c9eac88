/** The families of an app. */
import type { FamilyTree } from "../../src/api/causes.ts";
import { familyTree, parseFamilyInput } from "../../src/services/causes/family-tree.ts";
import type { Monitor } from "./monitor.ts";

const USUAL = parseFamilyInput({});

/** Ids of all invocations that the orchestrator keeps, newest first. */
export async function invocationIds(monitor: Monitor): Promise<string[]> {
  const app = await monitor.workspace.open();
  return app.store.read(async (reads) =>
    (await reads.orchestrator.listInvocations({}, { limit: 10_000, offset: 0 })).map((row) => row.invocation_id),
  );
}

/** Every family of an app by its root, asked for by the newest of its members. */
export async function familiesOf(monitor: Monitor): Promise<Map<string, FamilyTree>> {
  const app = await monitor.workspace.open();
  const found = new Map<string, FamilyTree>();
  const met = new Set<string>();
  for (const id of await invocationIds(monitor)) {
    if (met.has(id)) continue;
    const tree = await familyTree(app, id, USUAL);
    if (!found.has(tree.root_id)) found.set(tree.root_id, tree);
    for (const node of tree.nodes) met.add(node.invocation_id);
  }
  return found;
}
