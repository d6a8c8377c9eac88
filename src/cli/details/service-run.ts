import type { AtomicRun } from "../../api/runners.ts";
import { serviceRunFacts, triggerRunsOfServicePart } from "../../presentation/facts/service-run.ts";
import { atomicRun } from "../../services/runners/atomic-run.ts";
import { factLines, printPart } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import type { Detail } from "./detail.ts";

/** One run of the atomic service with the trigger runs that it executed. */
export const serviceRunDetails: Detail<AtomicRun> = { load: atomicRun, print };

function print(model: AtomicRun, now: number, out: Output): void {
  const facts = factLines("atomic_service_run", model.atomic_service_run_id, serviceRunFacts(model), out);
  out.lines([out.paint.bold("Run of the atomic service"), "", ...facts]);
  if (model.execution === null) out.say("Its record was removed; trigger runs still name it.");
  printPart(triggerRunsOfServicePart(model), out, now);
}
