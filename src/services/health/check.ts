/** Whether an app is healthy, as a sentence and a yes or no, for alarms: the output of `monitor check`. */

import type { AppCheck, CheckPart, StatusReport } from "../../api/health.ts";
import type { Stats } from "../../api/stats.ts";
import { InvalidInputError } from "../../errors.ts";
import { checkInput } from "../../inputs/health.ts";
import { nothingWrong } from "../../pynenc/nothing-wrong.ts";
import { counted, lasting, percentage } from "../../pynenc/numbers.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { stats } from "../stats/stats.ts";
import { appVerdicts } from "../verdicts/app-verdicts.ts";
import { COMMAND_PATIENCE } from "../verdicts/read-trends.ts";
import type { WithFoundVerdicts } from "../verdicts/verdicts.ts";
import { queueState } from "./status.ts";

/** Either a number of invocations, or a share of those that finished. */
type FailureLimit = { words: string } & ({ count: number } | { share: number });

function failureLimit(text: string): FailureLimit {
  if (!text.endsWith("%")) return { words: text, count: Number(text) };
  const percent = text.slice(0, -1);
  return { words: `${percent} %`, share: Number(percent) / 100 };
}

/** Maximum number of verdict sentences quoted. */
const SHOWN = 3;

type QueueFigures = StatusReport["queue"];
type FoundCheck = WithFoundVerdicts<AppCheck>;

/**
 * Checks for verdicts and the requested limits. Anything unknown counts as not passed: an alarm must not stay silent because it could not read the
 * data.
 *
 * @throws InvalidInputError, RefusedError if failures are to be counted and figures over time are switched off.
 */
export async function checkApp(app: OpenedApp, raw: RawInput): Promise<FoundCheck> {
  const input = parseInput(checkInput, raw);
  for (const parameter of ["from", "task_id"] as const) {
    const [value] = raw[parameter] ?? [];
    if (value === undefined || input.max_failed !== undefined) continue;
    throw new InvalidInputError([{ parameter, value, accepted: "it is for max_failed, which is missing" }]);
  }
  const { max_queue_age } = input;
  const verdictsIn = await appVerdicts(app, COMMAND_PATIENCE);
  const [{ verdicts: found, not_looked_at }, queues] = await app.store.read((reads) =>
    Promise.all([verdictsIn(reads), max_queue_age === undefined ? null : queueState(app, reads)]),
  );
  const verdicts = found.filter(
    ({ severity, muted_until }) =>
      muted_until === null && (severity === "error" || (severity === "warning" && input.fail_on === "warning")),
  );
  const checks = [verdictsPart(verdicts, found, not_looked_at)];
  if (input.max_failed !== undefined) {
    const { from, task_id } = raw;
    checks.push(failuresPart(failureLimit(input.max_failed), await stats(app, { from, task_id })));
  }
  if (max_queue_age !== undefined && queues !== null) checks.push(queuePart(max_queue_age, queues.queue));
  const ok = checks.every((part) => part.ok === true);
  const { app_id, location } = app.store;
  const as_of = isoFromEpoch(app.now());
  return { app_id, location, as_of, ok, fail_on: input.fail_on, checks, verdicts, not_looked_at };
}

function verdictsPart(
  verdicts: FoundCheck["verdicts"],
  found: FoundCheck["verdicts"],
  notLookedAt: readonly string[],
): CheckPart {
  const name = "verdicts";
  if (verdicts.length === 0) {
    const muted = found.filter(({ muted_until }) => muted_until !== null).length;
    const left = found.filter(({ severity, muted_until }) => muted_until === null && severity === "warning").length;
    const words = [...(left > 0 ? [counted(left, "warning")] : []), ...(muted > 0 ? [`${muted} muted`] : [])];
    const sentence =
      words.length === 0
        ? `${nothingWrong(notLookedAt)}.`
        : `${nothingWrong(notLookedAt, "No errors")}; ${words.join(", ")}.`;
    return { name, ok: true, sentence };
  }
  const shown = verdicts.slice(0, SHOWN).map(({ sentence }) => sentence);
  const more = verdicts.length - shown.length;
  return { name, ok: false, sentence: `${[...shown, ...(more > 0 ? [`${more} more`] : [])].join("; ")}.` };
}

function failuresPart(limit: FailureLimit, { total, notes, to, newest, complete: read }: Stats): CheckPart {
  // What is stamped after the end is not counted.
  const complete = read && (newest === null || newest <= to);
  const { failed, finished, failed_share } = total;
  const exceeded = "count" in limit ? failed > limit.count : (failed_share ?? 0) > limit.share;
  const share = failed_share === null ? "" : ` (${percentage(failed_share)})`;
  const figures =
    finished === 0 ? "None finished" : `${failed} of ${counted(finished, "finished invocation")} failed${share}`;
  const sentence = `${figures}, ${limitWords(exceeded, limit.words)}.${complete ? "" : ` ${notes.join(" ")}`}`;
  // More reading can only add failures, but can change a share in either direction.
  if (exceeded && (read || "count" in limit)) return { name: "failures", ok: false, sentence };
  return { name: "failures", ok: complete ? true : null, sentence };
}

function limitWords(exceeded: boolean, limit: string): string {
  return `${exceeded ? "over" : "within"} the limit of ${limit}`;
}

function queuePart(limit: number, queue: QueueFigures): CheckPart {
  const { messages, oldest_seconds } = queue;
  const name = "queue_age";
  if (messages === null) return { name, ok: null, sentence: "The queue cannot be read." };
  if (messages === 0) return { name, ok: true, sentence: "The queue is empty." };
  if (oldest_seconds === null) {
    if (queue.waiting === 0) return { name, ok: true, sentence: "No message waits for a runner." };
    return { name, ok: null, sentence: "When messages were queued is not stored." };
  }
  const ok = oldest_seconds <= limit;
  const sentence = `The oldest message has waited ${lasting(oldest_seconds)}, ${limitWords(!ok, lasting(limit))}.`;
  return { name, ok, sentence };
}
