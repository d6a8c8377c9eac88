/** What followed invocations that a search found, although it does not carry the text itself: called by them, or started through events and triggers. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { offspringOf } from "../causes/family-links.ts";

/** Families that are listed; of more, the list of the invocations is the better answer. */
const FAMILIES = 3;

/** Limits per search: generations, invocations whose children are read, and children of each. */
const GENERATIONS = 12;
const READ = 300;
const EACH = 50;

/** Tasks named in a sentence. */
const NAMED = 2;

/** The first of a family among the found ones, and what followed. */
export interface Followed {
  first: InvocationRow;
  words: string;
}

/** @param found all invocations that carry the text. Six reads per generation, and one more. */
export async function followedBy(reads: AppReads, found: readonly InvocationRow[]): Promise<Followed[]> {
  const carriers = new Set(found.map((row) => row.invocation_id));
  const children = new Map<string, string[]>();
  let complete = true;
  let level = [...carriers];
  for (let generation = 0; level.length > 0; generation++) {
    if (generation === GENERATIONS || children.size + level.length > READ) {
      complete = false;
      break;
    }
    for (const [id, offspring] of await offspringOf(reads, level, EACH)) {
      children.set(
        id,
        offspring.children.map((child) => child.id),
      );
      complete &&= offspring.complete;
    }
    level = [...new Set(level.flatMap((id) => children.get(id) ?? []))].filter((id) => !children.has(id));
  }
  const below = new Set([...children.values()].flat());
  const firsts = found.filter((row) => !below.has(row.invocation_id));
  if (firsts.length > FAMILIES) return [];
  const families = firsts.map((first) => ({ first, ids: descendants(children, first.invocation_id, carriers) }));
  const defined = await reads.state_backend.tasksOf([...new Set(families.flatMap(({ ids }) => ids))]);
  const taskOf = new Map(defined.map((one) => [one.invocation_id, one.task_id_key]));
  return families.flatMap(({ first, ids }) => {
    if (ids.length === 0) return [];
    const tasks = [...new Set(ids.flatMap((id) => taskOf.get(id) ?? []))];
    const among = tasks.length === 0 ? "" : `, among them ${tasks.slice(0, NAMED).join(" and ")}`;
    return [{ first, words: `${complete ? "" : "at least "}${counted(ids.length, "invocation")} followed${among}` }];
  });
}

/** All that followed one, nearest first, without those that carry the text. Damaged data may have cycles. */
function descendants(
  children: ReadonlyMap<string, readonly string[]>,
  id: string,
  carriers: ReadonlySet<string>,
): string[] {
  const seen = new Set([id]);
  for (const one of seen) for (const child of children.get(one) ?? []) seen.add(child);
  return [...seen].filter((one) => !carriers.has(one));
}
