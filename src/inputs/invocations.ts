/** What invocations are asked for with. */
import { INVOCATION_FIELDS, SORT_FIELDS, WAIT_GOALS } from "../api/words.ts";
import { after, inv_ids, invocationFilter, limit, paging } from "./common.ts";
import { text, whole, word } from "./parameter.ts";

/** Which invocations, for pages and actions that are about some. */
export const chosenInvocations = { ...invocationFilter, inv_ids } as const;

/** Which of them a page shows. */
export const pagedInvocations = { ...chosenInvocations, ...paging(1_000) } as const;

const sort = text(
  `sort by ${SORT_FIELDS.join(", ")}, where at most 1,000 match; -duration_seconds puts the longest first`,
  { flag: "--sort <field>", completion: SORT_FIELDS.flatMap((field) => [field, `-${field}`]) },
);

/** What a list takes. */
export const listedInvocations = { ...pagedInvocations, after: { ...after, flag: "--after <cursor>" }, sort } as const;

/** What a file of a list takes. */
export const exportedInvocations = { ...pagedInvocations, sort } as const;

export const invocationColumns = text(
  "columns to show, named as in JSON and separated by commas, or usual; browsers keep them, and JSON over HTTP has all",
  { flag: "--fields <names>", completion: INVOCATION_FIELDS, read: "list" },
);

export const exportLimit = whole("the newest ones only", { least: 1 }, { flag: "--limit <rows>" });

export const compareInput = {
  ...chosenInvocations,
  with: text(
    "the baseline: rest (all others in the range; default with a search, of the same task if it names one), before (the preceding range of the same length; default without) or another search",
    { flag: "--with <baseline>" },
  ),
  limit: limit(200, 30, "differences to list"),
} as const;

export const waitInput = {
  goal: word("what to wait for", WAIT_GOALS, {
    flag: "--for <what>",
    explained: { final: "ended, well or not", running: "is running or has run" },
    usual: "final",
  }),
  timeout: text("wait no longer than this: 90s, 5m; without it there is no limit", {
    flag: "--timeout <length>",
    read: "length",
  }),
} as const;
