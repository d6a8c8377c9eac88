import type { AtomicRun, RunnerDetail } from "../../api/runners.ts";
import {
  childRunnersPart,
  registeredPart,
  runnerFacts,
  runnerState,
  workedOnPart,
} from "../../presentation/facts/runner.ts";
import { serviceRunFacts, serviceRunsPart, triggerRunsOfServicePart } from "../../presentation/facts/service-run.ts";
import { visibleLine } from "../../presentation/text.ts";
import { silenceWords } from "../../services/model/runner-liveness.ts";
import { atomicRun } from "../../services/runners/atomic-run.ts";
import { runnerDetail } from "../../services/runners/runners.ts";
import { factLines, noteLines, printPart, textOf } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import type { Detail } from "./detail.ts";

/** One runner with what it worked on and registered. */
export const runnerDetails: Detail<RunnerDetail> = { load: runnerDetail, print: printRunner };

function printRunner(model: RunnerDetail, now: number, out: Output): void {
  const { runner } = model;
  out.lines([`${out.paint.bold(visibleLine(runner.name.runner_cls ?? "Runner"))}  ${textOf(runnerState(runner))}`, ""]);
  out.lines(factLines("runner", runner.runner_id, runnerFacts(model), out, ["runner_cls"]));
  if (runner.name.context_missing) {
    out.lines(noteLines(["Class, host and process are not known: no context is stored under this id."], out));
  }
  for (const part of [workedOnPart, registeredPart, childRunnersPart, serviceRunsPart])
    printPart(part(model), out, now);
  if (!runner.active && runner.last_heartbeat !== null) {
    out.say(`A runner counts as silent after ${silenceWords(model.silence)}.`);
  }
}

/** One run of the atomic service with the trigger runs that it executed. */
export const serviceRunDetails: Detail<AtomicRun> = { load: atomicRun, print: printServiceRun };

function printServiceRun(model: AtomicRun, now: number, out: Output): void {
  const facts = factLines("atomic_service_run", model.atomic_service_run_id, serviceRunFacts(model), out);
  out.lines([out.paint.bold("Run of the atomic service"), "", ...facts]);
  if (model.execution === null) out.say("Its record was removed; trigger runs still name it.");
  printPart(triggerRunsOfServicePart(model), out, now);
}
