/** What followed invocations that a search found, although it does not carry the text itself: called by them, or started through events and triggers. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { effectsOf } from "../causes/trace.ts";

/** Families that are listed; of more, the list of the invocations is the better answer. */
const FAMILIES = 3;

/** Limit of invocations, events and trigger runs that are found for a search. */
const FOUND = 300;

/** Tasks named in a sentence. */
const NAMED = 2;

/** The first of a family among the found ones, and what followed. */
export interface Followed {
  first: InvocationRow;
  /** Counts those without the text: with the found ones they are all of the family, from the first down. */
  words: string;
}

/** @param found all invocations that carry the text. */
export async function followedBy(reads: AppReads, found: readonly InvocationRow[]): Promise<Followed[]> {
  const carriers = new Set(found.map((row) => row.invocation_id));
  const effects = await effectsOf(reads, [...carriers], FOUND);
  const followers = found.map((first) => ({ first, all: effects.of(first.invocation_id) }));
  const below = new Set(followers.flatMap(({ all }) => all));
  const families = followers.flatMap(({ first, all }) =>
    below.has(first.invocation_id) ? [] : [{ first, ids: all.filter((id) => !carriers.has(id)) }],
  );
  if (families.length > FAMILIES) return [];
  const defined = await reads.state_backend.tasksOf([...new Set(families.flatMap(({ ids }) => ids))]);
  const taskOf = new Map(defined.map((one) => [one.invocation_id, one.task_id_key]));
  return families.flatMap(({ first, ids }) => {
    if (ids.length === 0) return [];
    const tasks = [...new Set(ids.flatMap((id) => taskOf.get(id) ?? []))];
    const among = tasks.length === 0 ? "" : `, among them ${tasks.slice(0, NAMED).join(" and ")}`;
    const atLeast = effects.complete ? "" : "at least ";
    return [{ first, words: `${atLeast}${counted(ids.length, "more invocation")} followed${among}` }];
  });
}
