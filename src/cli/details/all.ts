/** The detail view of each kind of object. */
import type { ShownKind } from "../../api/show.ts";
import { callDetails } from "./call.ts";
import { clientDataDetails } from "./client-data.ts";
import { conditionDetails } from "./condition.ts";
import type { Detail } from "./detail.ts";
import { eventDetails } from "./event.ts";
import { invocationDetails } from "./invocation.ts";
import { queueDetails } from "./queue.ts";
import { runnerDetails } from "./runner.ts";
import { serviceRunDetails } from "./service-run.ts";
import { taskDetails } from "./task.ts";
import { triggerDetails } from "./trigger.ts";
import { triggerRunDetails } from "./trigger-run.ts";
import { validConditionDetails } from "./valid-condition.ts";
import { workflowRunDetails } from "./workflow-run.ts";
import { workflowTypeDetails } from "./workflow-type.ts";

/** Hides the type of the loaded answer, which differs by kind. */
export type AnyDetail = Detail<object>;

export const DETAILS: Readonly<Record<ShownKind, AnyDetail>> = {
  invocation: erased(invocationDetails),
  workflow: erased(workflowRunDetails),
  event: erased(eventDetails),
  trigger_run: erased(triggerRunDetails),
  trigger: erased(triggerDetails),
  condition: erased(conditionDetails),
  valid_condition: erased(validConditionDetails),
  runner: erased(runnerDetails),
  atomic_service_run: erased(serviceRunDetails),
  call: erased(callDetails),
  client_data: erased(clientDataDetails),
  task: erased(taskDetails),
  queue: erased(queueDetails),
  workflow_type: erased(workflowTypeDetails),
};

export function erased<Model extends object>(detail: Detail<Model>): AnyDetail {
  const { load, prepare, print, thing } = detail;
  return {
    load,
    ...(prepare === undefined ? {} : { prepare }),
    print: (model, now, out, verdicts) => print(model as Model, now, out, verdicts),
    ...(thing === undefined ? {} : { thing: (model) => thing(model as Model) }),
  };
}
