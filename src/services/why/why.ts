/**
 * Why: the verdict on the app or on one thing, and its reasons. Verdicts on the app that name the thing take precedence, otherwise its own rows
 * decide.
 */

import type { ShownKind } from "../../api/show.ts";
import { InvalidInputError, NotFoundError, quote } from "../../errors.ts";
import { whyInput } from "../../inputs/find.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { inOneSnapshot, type OpenedApp } from "../app/opened-app.ts";
import { type Found, find } from "../find/find.ts";
import { identifiedObject, isStoredObject } from "../find/identified-object.ts";
import { kindAndId } from "../find/names.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { detailWith, type FiguresBefore, figuresBefore, NO_FIGURES } from "../invocations/invocation-detail.ts";
import { describedIds } from "../model/resolve-ids.ts";
import { livenessOf, silenceWords } from "../model/runner-liveness.ts";
import { eventFacts } from "../triggers/event-detail.ts";
import { triggerRunDetail } from "../triggers/trigger-run-detail.ts";
import { triggerDetail } from "../triggers/triggers.ts";
import { appVerdicts } from "../verdicts/app-verdicts.ts";
import { COMMAND_PATIENCE } from "../verdicts/read-trends.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";
import { type Concerned, concerning, missing, scopeOf, verdictsBeside } from "./concerning.ts";
import { explanation, type FoundWhy, ranked, type ThingWhy } from "./thing-verdict.ts";
import { whyEvent } from "./why-event.ts";
import { whyInvocation } from "./why-invocation.ts";
import { whyQueue } from "./why-queue.ts";
import { type TaskLately, taskLately, whyTask } from "./why-task.ts";
import { whyTrigger } from "./why-trigger.ts";
import { whyTriggerRun } from "./why-trigger-run.ts";

/**
 * The verdict on the app, or with `id` on the thing with that id (in any form) or name.
 *
 * @throws InvalidInputError if several things match, NotFoundError if none does.
 * @param patience maximum milliseconds to wait for figures over time.
 */
export async function why(app: OpenedApp, raw: RawInput, patience: number = COMMAND_PATIENCE): Promise<FoundWhy> {
  const { id = "" } = parseInput(whyInput, raw);
  if (id.trim() === "") return whyApp(app, patience);
  const meant = kindAndId(id);
  const ofKind = meant === null ? null : await find(app, { q: [meant.id], kind: [meant.kind] }, []);
  const only = ofKind && identifiedObject(ofKind);
  // A run is as it is for the reasons of the invocation that defines it, which has the same id.
  const found = only === null ? (ofKind ?? (await find(app, { q: [id] }, []))) : await find(app, { q: [only.id] }, []);
  const { matches, near, complete } = found;
  const things = matches.filter(isStoredObject);
  const thing = identifiedObject(found);
  if (thing !== null) return whyThing(app, thing.kind, thing.id, patience);
  if (things.length > 0) {
    const accepted = complete ? "it matches several things; the first:" : "it may match others too; give the full id:";
    throw new InvalidInputError([{ parameter: "id", value: id, accepted }], thingLines(things).join("\n"));
  }
  const own = near.filter(({ app_id }) => app_id === undefined);
  const like = own.length === 0 ? [] : ["Similar ids:", ...thingLines(own)];
  throw new NotFoundError(
    meant === null ? "thing" : meant.kind === "workflow" ? "workflow run" : meant.kind.replaceAll("_", " "),
    meant?.id ?? id,
    [
      ...(matches.length === 0 ? [] : [`Invocations carry this text: ${findCommand(id)} lists them.`]),
      "Enter an id of any kind, in full or shortened, or the name of a task, queue or workflow type.",
      ...like,
    ].join("\n"),
    matches.length === 0 ? undefined : `${quote(id)} is no id or name in this store.`,
  );
}

/** With the text only if a shell would take it as it is. */
function findCommand(text: string): string {
  return /^[\w.:@-]+$/.test(text) ? `monitor find ${text}` : "monitor find";
}

/** Maximum number of things listed in an error. */
const SHOWN = 10;

function thingLines(found: readonly Found[]): string[] {
  return found
    .slice(0, SHOWN)
    .map(({ kind, id, label }) => `  ${kind.replaceAll("_", " ")}  ${id}${label === id ? "" : `  ${label}`}`);
}

/** The state of the app: its first verdict, and all others. */
async function whyApp(app: OpenedApp, patience: number): Promise<FoundWhy> {
  const { verdicts, looked_at, not_looked_at } = await app.store.read(await appVerdicts(app, patience));
  const [verdict = null, ...others] = verdicts;
  const subject = { kind: "app" as const, id: app.app_id, label: app.store.location };
  const nothing = { chain: [], phases: null, critical_path: null };
  return { subject, verdict, others, ...nothing, looked_at, not_looked_at };
}

/** @throws NotFoundError if nothing is known about an invocation, event or trigger with this id. */
async function whyThing(app: OpenedApp, kind: ShownKind, id: string, patience: number): Promise<FoundWhy> {
  const [figures, verdictsIn] = await Promise.all([
    kind === "invocation" ? figuresBefore(app, id, patience) : NO_FIGURES,
    verdictsBeside(app, kind, patience),
  ]);
  const lately = isTask(kind) ? await taskLately(app, id, patience) : null;
  return inOneSnapshot(app, async (one, reads) => {
    const [{ thing, explain }, { verdicts, figures: examined }] = await Promise.all([
      thingOf(one, kind, id, figures, lately),
      verdictsIn(reads, scopeOf(one, reads, kind, id)),
    ]);
    const { label, ...found } = await explain(reads, verdicts);
    const looked_at = [EXAMINED[kind] ?? "whether a verdict names it"];
    const unread = isTask(kind) && lately === null && app.rollups !== null ? [NOT_READ] : [];
    const not_looked_at = [...missing(thing, examined), ...unread];
    return { subject: { kind, id, label }, ...found, looked_at, not_looked_at };
  });
}

/** The runs of a workflow type are the invocations of the task with the same name. */
function isTask(kind: ShownKind): boolean {
  return kind === "task" || kind === "workflow_type";
}

const NOT_READ = "how it fared in the last 24 h: the history is still being read";

const EXAMINED: Partial<Record<ShownKind, string>> = {
  invocation: "its status, history, waits, and failures below it",
  workflow: "verdicts on invocations of the run",
  event: "conditions for its code, and what they started",
  trigger: "its conditions and what waits for it",
  trigger_run: "what took part in it",
  runner: "its heartbeat",
  task: "verdicts on it and on its invocations, what its triggers wait for, and how it fared in the last 24 h",
  workflow_type: "verdicts on its runs, what its triggers wait for, and how it fared in the last 24 h",
  queue: "verdicts on it and on its messages, who waits there, and who takes from it",
};

interface Explained {
  thing: Concerned;
  /** @param verdicts all on the app. */
  explain(reads: AppReads, verdicts: readonly FoundVerdict[]): Promise<ThingWhy>;
}

/** What is read of a thing, and how it is explained. @throws NotFoundError */
async function thingOf(
  app: OpenedApp,
  kind: ShownKind,
  id: string,
  figures: FiguresBefore,
  lately: TaskLately | null,
): Promise<Explained> {
  const by = (thing: Concerned, explain: (found: FoundVerdict[], reads: AppReads) => ThingWhy | Promise<ThingWhy>) => ({
    thing,
    explain: async (reads: AppReads, verdicts: readonly FoundVerdict[]) =>
      explain(await concerning(app, reads, verdicts, thing), reads),
  });
  switch (kind) {
    case "invocation": {
      const detail = await detailWith(app, id, figures, "causes");
      const thing = { kind, detail };
      return { thing, explain: (reads, verdicts) => whyInvocation(app, reads, detail, verdicts) };
    }
    case "event": {
      const detail = await eventFacts(app, id);
      return by({ kind, detail }, (found) => whyEvent(detail, found));
    }
    case "trigger": {
      const detail = await triggerDetail(app, id);
      return by({ kind, detail }, (found) => whyTrigger(detail, found));
    }
    case "trigger_run": {
      const detail = await triggerRunDetail(app, id);
      return by({ kind, id }, (found) => whyTriggerRun(detail, found));
    }
    case "workflow":
      return by({ kind, id }, (found) => named("workflow run", found));
    case "task":
    case "workflow_type":
      return by({ kind, id }, async (found, reads) => ({
        ...(await whyTask(app, reads, id, found, lately)),
        label: kind.replaceAll("_", " "),
      }));
    case "queue":
      return by({ kind, id }, (found, reads) => whyQueue(app, reads, id, found));
    case "runner":
      return by({ kind, id }, (found, reads) => whyRunner(app, reads, id, found));
    default:
      return by({ kind, id }, (found) => named(kind.replaceAll("_", " "), found));
  }
}

/** A thing that is explained only by verdicts on the app. */
function named(label: string, by: readonly FoundVerdict[]): ThingWhy {
  return { label, phases: null, critical_path: null, chain: [], ...ranked(by, null) };
}

async function whyRunner(app: OpenedApp, reads: AppReads, id: string, by: readonly FoundVerdict[]): Promise<ThingWhy> {
  const [[heartbeat], { dead_before, silence }, [described]] = await Promise.all([
    reads.orchestrator.heartbeatsByIds([id]),
    livenessOf(app, reads),
    describedIds(reads, [{ kind: "runner", id }]),
  ]);
  const active = heartbeat !== undefined && heartbeat.last_heartbeat >= dead_before;
  const sentence =
    heartbeat === undefined
      ? "No heartbeat of it is stored, so whether it is alive is not known. Processes that only call tasks send none."
      : active
        ? "It is active."
        : `It is silent: no heartbeat for more than ${silenceWords(silence)}.`;
  const own = explanation({
    code: active ? "runner_active" : "runner_silent",
    sentence,
    since: isoOrNull(heartbeat?.last_heartbeat),
  });
  return { ...named(described?.detail ?? "runner", []), ...ranked(by, own) };
}
