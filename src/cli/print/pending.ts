/** Prints conditions that were met and are waiting. */
import type { PendingCondition, PendingList, PendingTrigger } from "../../api/conditions.ts";
import { count, visibleLine } from "../../presentation/text.ts";
import { causeWords } from "../../pynenc/context-summary.ts";
import type { Output } from "./output.ts";
import { heading, indented } from "./text.ts";
import { time } from "./zone.ts";

/** Each condition with what met it and when, followed by a line for each trigger that has it. */
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

/** The same under a heading; prints nothing if nothing is pending. */
export function pendingSection(title: string, { rows, total, capped }: PendingList, out: Output): void {
  if (rows.length === 0) return;
  const all = total === null ? "" : ` (${count(total)}${capped ? "+" : ""})`;
  out.lines([...heading(`${title}${all}`, out), ...indented(pendingLines(rows, out))]);
  if ((total ?? 0) > rows.length) out.say(`Only the first ${count(rows.length)} are shown.`);
}

/** The state of a trigger for a condition that was met. */
export function stateWords({ state, missing, missing_count }: PendingTrigger): string {
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
