import type { ActionOutcome } from "../../../src/api/actions.ts";
import { visible } from "../../../src/presentation/text.ts";
import { Notice } from "../ui/notice.tsx";

/** What an action did; replaces its form. */
export function ActionDone({ outcome }: { outcome: ActionOutcome }) {
  return <Notice tone="info">{visible(outcome.message)}</Notice>;
}
