/** What the components of an app are asked for with. */
import { paging, queueFilter } from "./common.ts";
import { text } from "./parameter.ts";

export const queueInput = { queue: queueFilter, ...paging(1_000) } as const;

export const clientDataInput = {
  reference: text("the value to show: a full reference or its key"),
  ...paging(),
} as const;
