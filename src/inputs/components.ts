/** What the components of an app are asked for with. */
import { at, paging, queueFilter } from "./common.ts";
import { text } from "./parameter.ts";

export const queueInput = {
  queue: queueFilter,
  at: { ...at, meaning: `what waited then, from the status history: 2h, yesterday 14:05, 2026-07-04T10:00` },
  ...paging(1_000),
} as const;

export const clientDataInput = {
  reference: text("the value to show: a full reference or its key"),
  ...paging(),
} as const;
