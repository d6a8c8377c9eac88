/** Contents of a bundle: one invocation, the invocations related to an event or trigger run, or the results of a search. Bounded; omissions are stated. */
import type { FamilyPicture } from "../../api/causes.ts";
import type { InvocationDetail } from "../../api/invocations.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { counted, grouped } from "../../pynenc/numbers.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { familyPictureOrNull } from "../causes/family-picture.ts";
import { trace } from "../causes/trace.ts";
import { exportRows } from "../invocations/exports.ts";
import { invocationDetail } from "../invocations/invocation-detail.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { COMMAND_PATIENCE } from "../verdicts/read-trends.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";
import { verdictsOn } from "../why/concerning.ts";
import type { FoundWhy } from "../why/thing-verdict.ts";
import { why } from "../why/why.ts";

/** Kinds of objects that a bundle can be about. */
export const BUNDLED_KINDS = ["invocation", "workflow", "event", "trigger_run"] as const;
export type BundledKind = (typeof BUNDLED_KINDS)[number];

/** Limit of invocations listed. */
const LISTED = 200;
/** Limit of invocations with full details. */
const DETAILED = 20;

export interface BundledInvocation {
  why: FoundWhy;
  detail: InvocationDetail;
  picture: FamilyPicture | null;
  verdicts: FoundVerdict[];
}

export interface BundleContent {
  /** For the requested event or trigger run; null otherwise, because then each invocation has its own. */
  why: FoundWhy | null;
  /** Empty if a single invocation was requested. */
  rows: InvocationRow[];
  /** Invocations with full details, in the order of `rows`. */
  ids: string[];
  left_out: string[];
}

/** @throws NotFoundError */
export async function objectContent(app: OpenedApp, kind: BundledKind, id: string): Promise<BundleContent> {
  // A workflow run has the id of the invocation that defines it.
  if (kind === "invocation" || kind === "workflow") return { why: null, rows: [], ids: [id], left_out: [] };
  const chain = await trace(app, null, id, { direction: "both", limit: LISTED });
  const found = await why(app, { id: [id] });
  const left_out = chain.truncated ? [`Only the nearest ${LISTED} causes and effects are listed.`] : [];
  return content(found, chain.invocations, left_out);
}

/** The results of a search, newest first. @param shown the same app, possibly without values. */
export async function searchContent(
  app: OpenedApp,
  shown: OpenedApp,
  filter: InvocationFilter,
): Promise<BundleContent> {
  const ids: string[] = [];
  for await (const batch of exportRows(app, filter, { limit: LISTED + 1 }))
    ids.push(...batch.map((row) => row.invocation_id));
  const rows = await shown.store.read((reads) => invocationRows(reads, ids.slice(0, LISTED)));
  return content(
    null,
    rows,
    ids.length > LISTED ? [`More than ${LISTED} invocations match: these are the newest.`] : [],
  );
}

function content(found: FoundWhy | null, rows: InvocationRow[], left_out: readonly string[]): BundleContent {
  const ids = rows.slice(0, DETAILED).map((row) => row.invocation_id);
  const rest = rows.length - ids.length;
  const more =
    rest > 0 ? [`${counted(rest, "invocation")} of ${grouped(rows.length)} are listed without their details.`] : [];
  return { why: found, rows, ids, left_out: [...left_out, ...more] };
}

/** Full details of one invocation. @throws NotFoundError */
export async function bundledInvocation(app: OpenedApp, id: string): Promise<BundledInvocation> {
  const detail = await invocationDetail(app, id, COMMAND_PATIENCE);
  const [found, picture, { verdicts }] = await Promise.all([
    why(app, { id: [detail.invocation_id] }),
    familyPictureOrNull(app, "invocation", detail.invocation_id),
    verdictsOn(app, "invocation", { kind: "invocation", detail }, COMMAND_PATIENCE),
  ]);
  return { why: found, detail, picture, verdicts };
}
