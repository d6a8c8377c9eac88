/** The second app of the same file: other tasks, another serializer, nothing shared but the database. */
import type { PythonValue } from "../../pynenc/python-dump.ts";
import { onEvent } from "../writer/conditions.ts";
import type { TaskRun, TaskSpec } from "./app.ts";
import { TaskError } from "./errors.ts";
import type { Steps } from "./scheduler.ts";
import { CORE_TASKS, CORE_TRIGGERS, takes } from "./shop.ts";
import type { TriggerSpec } from "./triggers.ts";

function* sendInvoice(run: TaskRun): Steps<PythonValue> {
  yield* run.work(0.5, 3);
  if (run.random.chance(0.15)) {
    throw new TaskError("TaxIdMissing", "no tax id", { module: "billing.errors", envelope: "json" });
  }
  run.emit("invoice.sent", { number: run.number("number") });
  return { __pynenc__enum__: { module: "billing.models", qualname: "State", value: "sent" } };
}

export const SEND_INVOICE = "billing.invoices.send";

export const BILLING_TASKS: readonly TaskSpec[] = [
  ...CORE_TASKS,
  { key: SEND_INVOICE, body: sendInvoice },
  { key: "billing.ledger.book", body: takes(0.1, 0.5) },
];

export const BILLING_TRIGGERS: readonly TriggerSpec[] = [
  ...CORE_TRIGGERS,
  { task: "billing.ledger.book", on: [onEvent("invoice.sent")] },
];
