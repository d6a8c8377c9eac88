/** The detail view of each kind of object. */
import type { ShownKind } from "../../api/show.ts";
import { clientDataDetails } from "./client-data.ts";
import { conditionDetails, validConditionDetails } from "./condition.ts";
import type { Detail } from "./detail.ts";
import { eventDetails } from "./event.ts";
import { invocationDetails } from "./invocation.ts";
import { queueDetails } from "./queue.ts";
import { runnerDetails, serviceRunDetails } from "./runner.ts";
import { callDetails, taskDetails } from "./task.ts";
import { triggerDetails, triggerRunDetails } from "./trigger.ts";
import { workflowRunDetails, workflowTypeDetails } from "./workflow.ts";

export const DETAILS: Readonly<Record<ShownKind, Detail>> = {
  invocation: invocationDetails,
  workflow: workflowRunDetails,
  event: eventDetails,
  trigger_run: triggerRunDetails,
  trigger: triggerDetails,
  condition: conditionDetails,
  valid_condition: validConditionDetails,
  runner: runnerDetails,
  atomic_service_run: serviceRunDetails,
  call: callDetails,
  client_data: clientDataDetails,
  task: taskDetails,
  queue: queueDetails,
  workflow_type: workflowTypeDetails,
};
