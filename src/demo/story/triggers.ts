import { pythonJson } from "../../pynenc/python-dump.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import {
  type Condition,
  type Context,
  cronContext,
  eventContext,
  exceptionContext,
  resultContext,
  type StoredValues,
  statusContext,
  storedValues,
  type ValidCondition,
  type Values,
  validCondition,
} from "../writer/conditions.ts";
import type { EmittedEvent, ServiceRun, TriggerDefinition } from "../writer/operations.ts";
import { triggerRunIdOf } from "../writer/trigger-run-json.ts";
import type { DemoWriter } from "../writer/writer.ts";

/** Where the arguments of a triggered call come from. */
export interface ArgumentProvider {
  readonly json: string | null;
  /** Serialized arguments for a run with these participants. */
  readonly argumentsFor: (participants: readonly ValidCondition[]) => StoredValues;
}

export interface TriggerSpec {
  readonly task: string;
  readonly on: readonly Condition[];
  /** How several conditions are combined. Default: `and`. */
  readonly logic?: "and" | "or";
  readonly provider?: ArgumentProvider;
}

/** The task is called without arguments. */
const NO_ARGUMENTS: ArgumentProvider = { json: null, argumentsFor: () => ({}) };

export function fixedArguments(values: Values): ArgumentProvider {
  const stored = storedValues(values);
  return {
    json: pythonJson({ condition_type: "StaticArgumentProvider", data: { arguments: stored } }),
    argumentsFor: () => stored,
  };
}

/** Arguments computed from the event by a function of the app. */
export function argumentsFromEvent(
  module: string,
  func: string,
  compute: (payload: StoredValues) => StoredValues,
): ArgumentProvider {
  return {
    json: pythonJson({
      condition_type: "ContextTypeArgumentProvider",
      data: { context_type: "EventContext", callback: pythonJson({ module, function: func }) },
    }),
    argumentsFor: (participants) => compute(participants[0]?.context.payload ?? {}),
  };
}

interface Trigger {
  readonly definition: TriggerDefinition;
  readonly provider: ArgumentProvider;
}

interface Pending {
  readonly valid: ValidCondition;
  /** Triggers that have handled it; it is cleared once all of its triggers have. */
  readonly handledBy: Set<string>;
}

/** Registers the invocation of a trigger run and returns its id. */
export type Launch = (call: {
  /** Names the run, by what it follows from. */
  cause: string;
  task: string;
  arguments: StoredValues;
  eventId: string | null;
  runnerId: string;
}) => string;

/** The trigger component of an app: matching, and the loop inside of the atomic service (storage-format.md 5.6). */
export class Triggers {
  readonly #writer: DemoWriter;
  readonly #specs: readonly TriggerSpec[];
  #triggers: Trigger[] = [];
  #pending: Pending[] = [];
  readonly #lastCron = new Map<string, EpochSeconds>();
  /** How often each trigger ran on a schedule. */
  readonly #scheduled = new Map<string, number>();
  /** Service runs referenced by trigger runs, with the time; retention keeps them (storage-format.md 6.4). */
  readonly referencedServiceRuns = new Map<string, EpochSeconds>();

  constructor(writer: DemoWriter, specs: readonly TriggerSpec[]) {
    this.#writer = writer;
    this.#specs = specs;
  }

  /** Done by every runner at its start. Resets the last execution of each cron, so all fire at once (storage-format.md 5.6). */
  register(): void {
    this.#triggers = this.#specs.map(({ task, on, logic = "and", provider = NO_ARGUMENTS }) => ({
      provider,
      definition: this.#writer.defineTrigger({
        task_id_key: task,
        logic,
        conditions: on,
        argument_provider_json: provider.json,
      }),
    }));
    this.#lastCron.clear();
  }

  emit(event: Omit<EmittedEvent, "matches">, at: EpochSeconds): void {
    const { event_id, event_code, payload } = event;
    const context = eventContext(event_id, event_code, payload, at);
    const matches = this.#met("event", event_code, payload).map((condition) => validCondition(condition, context));
    this.#writer.recordEvent({ ...event, matches }, at);
    for (const valid of matches) this.#remember(valid);
  }

  statusChanged(source: InvocationRecord, status: string, at: EpochSeconds): void {
    for (const condition of this.#met("status", source.task_id_key, { status }))
      this.#recordValid(condition, statusContext(source, status, at));
  }

  resultReported(source: InvocationRecord, result: string, at: EpochSeconds): void {
    for (const condition of this.#met("result", source.task_id_key, { result }))
      this.#recordValid(condition, resultContext(source, result, at));
  }

  exceptionReported(source: InvocationRecord, exception: string, message: string, at: EpochSeconds): void {
    for (const condition of this.#met("exception", source.task_id_key, { exception }))
      this.#recordValid(condition, exceptionContext(source, exception, message, at));
  }

  /** One pass of the trigger loop: due crons, then every run whose conditions are met. Yields pauses between its writes. */
  *loop(service: ServiceRun, now: () => EpochSeconds, launch: Launch): Generator<number, void, void> {
    this.#checkCrons(now());
    for (const trigger of this.#triggers) {
      for (const participants of this.#readyRuns(trigger.definition)) {
        const claimed_at = now();
        for (const { handledBy } of participants) handledBy.add(trigger.definition.trigger_id);
        const valid = participants.map((one) => one.valid);
        // A run that was just claimed is skipped, but its valid conditions are still cleared.
        if (!this.#writer.claimTriggerRun(triggerRunIdOf(trigger.definition, valid), claimed_at)) continue;
        yield 0.001;
        const invocationId = launch({
          cause: this.#causeOf(trigger.definition, valid),
          task: trigger.definition.task_id_key,
          arguments: trigger.provider.argumentsFor(valid),
          eventId: valid.find((one) => one.context.event_id !== null)?.context.event_id ?? null,
          runnerId: service.runner_id,
        });
        yield 0.002;
        this.#writer.recordTriggerRun({
          trigger: trigger.definition,
          participants: valid,
          triggered_invocation_id: invocationId,
          claimed_at,
          executed_at: now(),
          service,
        });
        this.referencedServiceRuns.set(service.atomic_service_run_id, claimed_at);
      }
    }
    this.#clearHandled();
  }

  /** Drops valid conditions from before an instant, and service runs whose trigger runs were removed. */
  forgetBefore(before: EpochSeconds): void {
    for (const { valid } of this.#pending) {
      if (valid.context.timestamp < before) this.#writer.clearValidCondition(valid.valid_condition_id);
    }
    this.#pending = this.#pending.filter(({ valid }) => valid.context.timestamp >= before);
    for (const [id, at] of this.referencedServiceRuns) if (at < before) this.referencedServiceRuns.delete(id);
  }

  #conditions(): Condition[] {
    const byId = new Map<string, Condition>();
    for (const { definition } of this.#triggers) {
      for (const condition of definition.conditions) byId.set(condition.condition_id, condition);
    }
    return [...byId.values()];
  }

  #met(kind: Condition["kind"], source: string, values: StoredValues): Condition[] {
    return this.#conditions().filter((c) => c.kind === kind && c.source === source && c.accepts(values));
  }

  #recordValid(condition: Condition, context: Context): void {
    const valid = validCondition(condition, context);
    this.#writer.recordValidCondition(valid);
    this.#remember(valid);
  }

  #remember(valid: ValidCondition): void {
    // A repeated id (an exception of the same type) replaces the waiting one.
    this.#pending = this.#pending.filter((one) => one.valid.valid_condition_id !== valid.valid_condition_id);
    this.#pending.push({ valid, handledBy: new Set() });
  }

  #checkCrons(at: EpochSeconds): void {
    for (const condition of this.#conditions()) {
      const { periodSeconds: period } = condition;
      if (period === undefined) continue;
      const last = this.#lastCron.get(condition.condition_id) ?? null;
      if (last !== null && Math.floor(last / period) === Math.floor(at / period)) continue;
      this.#lastCron.set(condition.condition_id, at);
      this.#writer.recordCronExecution(condition.condition_id, at);
      this.#recordValid(condition, cronContext(at, last));
    }
  }

  #readyRuns(trigger: TriggerDefinition): Pending[][] {
    const open = this.#pending.filter((one) => !one.handledBy.has(trigger.trigger_id));
    const byCondition = trigger.conditions.map((condition) =>
      open.filter((one) => one.valid.condition.condition_id === condition.condition_id),
    );
    if (trigger.logic === "or" || byCondition.length === 1) return byCondition.flat().map((one) => [one]);
    const complete = Math.min(...byCondition.map((list) => list.length));
    return Array.from({ length: complete }, (_, index) => byCondition.map((list) => list[index] as Pending));
  }

  #causeOf({ trigger_id }: TriggerDefinition, valid: readonly ValidCondition[]): string {
    const sources = valid.flatMap(({ context }) => context.event_id ?? context.source_invocation_id ?? []);
    if (sources.length > 0) return [trigger_id, ...sources].join(" ");
    const count = (this.#scheduled.get(trigger_id) ?? 0) + 1;
    this.#scheduled.set(trigger_id, count);
    return `${trigger_id} ${count}`;
  }

  #clearHandled(): void {
    this.#pending = this.#pending.filter(({ valid, handledBy }) => {
      const waiting = this.#triggers.some(
        ({ definition }) =>
          definition.conditions.some((c) => c.condition_id === valid.condition.condition_id) &&
          !handledBy.has(definition.trigger_id),
      );
      if (!waiting) this.#writer.clearValidCondition(valid.valid_condition_id);
      return waiting;
    });
  }
}
