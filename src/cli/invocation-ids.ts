/** Several invocation ids as arguments of a command, each in any form. */
import { NotFoundError } from "../errors.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { invocationRows, isStored } from "../services/model/invocation-rows.ts";
import { withFullIds, withId } from "../services/model/resolve-ids.ts";

/** @throws NotFoundError, InvalidInputError for the first id that matches no invocation, or more than one. */
export async function fullIds(app: OpenedApp, given: readonly string[]): Promise<string[]> {
  const { "<id...>": whole = [] } = await withFullIds(app, { "<id...>": given }, { "<id...>": ["invocation"] });
  const stored = await storedAmong(app, whole);
  const text = whole.find((id) => !stored.has(id));
  if (text === undefined) return [...new Set(whole)];
  return withId(app, { parameter: "<id...>", kinds: ["invocation"], text }, async (id) => {
    throw new NotFoundError("invocation", id);
  });
}

async function storedAmong(app: OpenedApp, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await app.store.read((reads) => invocationRows(reads, ids));
  return new Set(rows.filter(isStored).map((row) => row.invocation_id));
}
