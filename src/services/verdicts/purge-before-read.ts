/** Children that auto-purge is about to remove from the orchestrator while their parent still waits: pynenc cannot return their results after that. */
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import { coarse, counted } from "../../pynenc/numbers.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import { utcText } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";
import type { EndedFacts, Expiring, Waits } from "./facts.ts";
import { countOf, type Examined, evidence, type Finding, numbered } from "./finding.ts";

/** How long before the purge it is reported. */
const AHEAD_SECONDS = 600;

/** Maximum parents, and children of each, examined. */
const MAX_PARENTS = 100;
const MAX_CHILDREN = 100;

const SETTING = "auto_final_invocation_purge_hours";

const NOTHING: Examined<Expiring> = { found: [], more: false };

/** Reads nothing unless the setting of the app is known and a waiting invocation is old enough. */
export async function expiring(app: OpenedApp, reads: AppReads, waits: Waits): Promise<Examined<Expiring>> {
  const origin = app.settings.get(SETTING)?.origin ?? DEFAULT_ORIGIN;
  if (origin === DEFAULT_ORIGIN) return NOTHING;
  const retention = numberSetting(app, SETTING) * 3_600;
  const dueUntil = app.now() + AHEAD_SECONDS;
  const open = (id: string) => {
    const row = waits.statuses.get(id);
    return row !== undefined && !statusInfo(row.status).final;
  };
  const waiters = waits.edges.filter(({ waiter_id, waited_id }) => open(waiter_id) && open(waited_id));
  const all = [...new Set(waiters.map(({ waiter_id }) => waiter_id))];
  const parents = all.slice(0, MAX_PARENTS);
  if (parents.length === 0) return NOTHING;
  const spans = await reads.state_backend.historySpanOf(parents);
  const old = spans.flatMap(({ invocation_id, first }) =>
    first.timestamp + retention <= dueUntil ? [invocation_id] : [],
  );
  if (old.length === 0) return NOTHING;
  const children = await reads.state_backend.childrenOf(old, { each: MAX_CHILDREN });
  const parentOf = new Map(children.map((child) => [child.invocation_id, child.parent_id]));
  const statuses = await reads.orchestrator.statusesByIds([...parentOf.keys()]);
  const found = statuses.flatMap(({ invocation_id, status, auto_purge_timestamp: ended }) => {
    const parent_id = parentOf.get(invocation_id);
    if (parent_id === undefined || ended === null || !statusInfo(status).final) return [];
    return ended + retention <= dueUntil ? [{ invocation_id, parent_id, due: ended + retention }] : [];
  });
  const childrenOf = rowsBy(children, (child) => child.parent_id);
  const cut = [...childrenOf.values()].some(({ length }) => length >= MAX_CHILDREN);
  return { found, more: cut || all.length > parents.length || !waits.complete };
}

export function purgeBeforeRead({ expiring: examined, now }: EndedFacts): Finding | null {
  const all = examined.found;
  if (all.length === 0) return null;
  const parents = [...new Set(all.map(({ parent_id }) => parent_id))];
  const first = Math.min(...all.map(({ due }) => due));
  const when = first <= now ? "at the next auto-purge" : `in ${coarse(Math.ceil(first - now))}`;
  return {
    code: "purge_before_read",
    severity: "warning",
    sentence: `${numbered(examined, "result")} may be purged ${when}, while ${examined.more ? "at least " : ""}${counted(parents.length, "parent")} still ${parents.length === 1 ? "runs and waits" : "run and wait"}`,
    detail: `The first result may go at ${utcText(first)} (${SETTING}). A parent that asks for it later fails; whether it has asked already is not stored. A longer ${SETTING} keeps results longer.`,
    since: Math.min(now, first - AHEAD_SECONDS),
    evidence: [
      ...evidence("invocation", parents, "waits"),
      ...evidence("invocation", all.map(invocationIdOf), "may be purged"),
    ],
    ...countOf(examined),
  };
}
