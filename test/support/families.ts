/** The families of an app. */
import type { FamilyPicture } from "../../src/api/causes.ts";
import { familyPicture, parseFamilyInput } from "../../src/services/causes/family-picture.ts";
import type { Monitor } from "./monitor.ts";

const USUAL = parseFamilyInput({});

/** Ids of all invocations that the orchestrator keeps, newest first. */
export async function invocationIds(monitor: Monitor): Promise<string[]> {
  const app = await monitor.workspace.open();
  return app.store.read(async (reads) =>
    (await reads.orchestrator.listInvocations({}, { limit: 10_000, offset: 0 })).map((row) => row.invocation_id),
  );
}

/** Its invocations, in order. */
export function membersOf({ rows }: Pick<FamilyPicture, "rows">): string[] {
  return rows.flatMap(({ kind, id, awaited }) => (kind === "invocation" && !awaited ? [id] : []));
}

/** Every family of an app by its first member, asked for by the newest of its members. */
export async function familiesOf(monitor: Monitor): Promise<Map<string, FamilyPicture>> {
  const app = await monitor.workspace.open();
  const found = new Map<string, FamilyPicture>();
  const met = new Set<string>();
  for (const id of await invocationIds(monitor)) {
    if (met.has(id)) continue;
    const family = await familyPicture(app, "invocation", id, USUAL);
    const [first = id, ...others] = membersOf(family);
    if (!found.has(first)) found.set(first, family);
    for (const member of [first, ...others]) met.add(member);
  }
  return found;
}
