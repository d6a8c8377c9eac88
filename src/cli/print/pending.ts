/** Conditions that were met and wait, for the terminal. */
import type { PendingCondition, PendingTrigger } from "../../api/triggers.ts";
import { visibleLine } from "../../presentation/text.ts";
import { causeWords } from "../../pynenc/context-summary.ts";
import type { Output } from "./output.ts";
import { time } from "./text.ts";

/** Each condition with what met it and when, and beneath it a line for each trigger that has it. */
export function pendingLines(rows: readonly PendingCondition[], out: Output): string[] {
  return rows.flatMap(({ sentence, cause, met_at, met_at_is_local, triggers, triggers_truncated }) => {
    const by =
      cause === null ? "" : `, met by ${causeWords(cause)} ${cause.event_id ?? cause.source_invocation_id ?? ""}`;
    const at = met_at === null ? "" : ` at ${time(met_at)}${met_at_is_local ? " (local time)" : ""}`;
    return [
      `${out.paint.bold(visibleLine(sentence ?? "unreadable"))}${visibleLine(by.trimEnd())}${at}`,
      ...triggers.map((trigger) => `  ${visibleLine(`${trigger.task_id_key} ${stateWords(trigger)}`)}`),
      ...(triggers_truncated ? ["  and more triggers"] : []),
      ...(triggers.length === 0 ? ["  no registered trigger has this condition"] : []),
    ];
  });
}

function stateWords({ state, missing, missing_count }: PendingTrigger): string {
  switch (state) {
    case "ready":
      return "is due at the next turn of the atomic service";
    case "ran":
      return "has already run for it";
    case "unknown":
      return "has other conditions, which are still being checked";
    case "waiting": {
      const more = missing_count - missing.length;
      const names = missing.map(({ sentence, condition_id }) => sentence ?? `${condition_id} (not registered)`);
      return `waiting for ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(", ")}`;
    }
  }
}
