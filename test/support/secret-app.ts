/** An app with a secret of every form in every text that an app or its users can store. */
import { argumentsId, callKey, clientDataKey } from "../../src/pynenc/identifiers.ts";
import { at, type MemoryApp, memoryApp } from "./memory-app/memory-app.ts";
import { leaksIn, SECRET_FORMS, type Secret, secretOf } from "./secrets.ts";
import { storedError } from "./stored-error.ts";

/** Ids of what was stored. */
export interface SecretApp {
  app: MemoryApp;
  secrets: Secret[];
  failed: string[];
  succeeded: string[];
  waiting: string[];
  events: string[];
  runs: string[];
  triggers: string[];
  workflows: string[];
  runners: string[];
  calls: string[];
  tasks: string[];
  /** A log in which each secret is in a line of its own. */
  log: string;
  leaksIn(text: string): string[];
}

/** New ids, tokens, and marks around stored text: they may hold any five characters, so those of a secret too. */
const MADE_BY_CHANCE =
  /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-)?[0-9a-f]{12}\b|(?<=token"?:? ?"?)[\w-]{24}(?=[",])/g;

/** A value that differs between failures and successes, so comparisons find it. */
const COMPARED = 30;

export function secretApp(): SecretApp {
  const secrets: Secret[] = [];
  const app = memoryApp({ app_id: "shop", now: at(400), queue_layout: { named: true } });
  const found: SecretApp = {
    app,
    secrets,
    failed: [],
    succeeded: [],
    waiting: [],
    events: [],
    runs: [],
    triggers: [],
    workflows: [],
    runners: [],
    calls: [],
    tasks: [],
    log: "",
    leaksIn: (text) => leaksIn(text.replaceAll(MADE_BY_CHANCE, ""), secrets),
  };
  const lines: string[] = [];
  for (const [n, form] of SECRET_FORMS.entries()) {
    const place = (where: string): string => {
      const secret = secretOf(form, where);
      secrets.push({ ...secret, form: `${form.name} in ${where}` });
      return secret.text;
    };
    const stored = (where: string) => JSON.stringify(place(where));
    // Beginnings of different lengths: lists cut their texts somewhere in the secret.
    const late = (where: string, length: number) => JSON.stringify(`${"x ".repeat((length - 10) >> 1)}${place(where)}`);
    const id = (kind: string) => `${kind}${n.toString(16).padStart(7, "0")}-1b2c-4d3e-8f90-a1b2c3d4e5f6`;
    // Names have no blanks and no quotes.
    const isName = /^[\w.@:/-]+$/.test(secretOf(form, "").text);
    const runner = id("a");
    const host = isName ? place("the name of a host") : `host-${n}`;
    app.runner(runner, { last: at(395) }).change((rows) => {
      const context = rows.contexts.at(-1);
      if (context !== undefined) context.hostname = host;
    });
    found.runners.push(runner);
    // Pages split the name of a task at its last dot.
    const task = isName && !/[.:/]/.test(secretOf(form, "").text) ? `shop.${place("the name of a task")}` : "shop.pay";
    const external = stored("the client data store");
    const given = {
      note: stored("an argument"),
      [isName ? place("the name of an argument") : "m"]: "1",
      late: late("an argument that is cut", 130 + (n % 20)),
      password: stored("an argument with the name of a secret"),
      passphrase: `hush ${place("an argument that is no JSON")}`,
      command: JSON.stringify(["login", "--token", place("a list of arguments")]),
      external: clientDataKey(external),
    };
    app.value(external);
    const failed = id("b");
    const message = `${place("a message")}: ${"no ".repeat(n % 40)}${place("a message that is cut")}`;
    app.invocation(failed, {
      task,
      arguments: given,
      workflow: { id: id("5") },
      history: [
        [at(n), "registered"],
        [at(n + 1), "pending", runner],
        [at(n + 2), "running", runner],
        [at(n + 3), "failed", runner],
      ],
      exception: storedError("ValueError", message),
    });
    found.failed.push(failed);
    found.calls.push(callKey(task, argumentsId(given)));
    found.tasks.push(task);
    const data = {
      state: stored("the data of a workflow"),
      token: stored("the data of a workflow with the name of a secret"),
    };
    const workflow = id("5");
    app.workflow(workflow, { workflow_type_key: task, data, members: [failed] });
    found.workflows.push(workflow);
    const succeeded = id("c");
    app.invocation(succeeded, {
      arguments: { note: late("an argument that is cut later", 150 + (n % 10)) },
      parent: failed,
      history: [
        [at(n), "registered"],
        [at(n + 1), "running", runner],
        [at(n + 4), "success", runner],
      ],
      result: stored("a result"),
    });
    found.succeeded.push(succeeded);
    const event = id("d");
    const code = isName ? place("the code of an event") : "order.created";
    app.event(event, {
      event_code: code,
      timestamp: at(n + 5),
      payload: { note: stored("a payload"), api_key: stored("a payload with the name of a secret") },
      emitted_by_invocation_id: failed,
    });
    found.events.push(event);
    const condition = `event#${code}#static_no_args_${n}`;
    app.condition(condition, {
      condition_type: "EventCondition",
      data: {
        event_code: code,
        payload_filter: JSON.stringify({ arguments: { note: place("the filter of a condition") } }),
      },
    });
    const trigger = id("e");
    app.trigger(trigger, {
      task_id_key: task,
      condition_ids: [condition],
      argument_provider_json: JSON.stringify({
        condition_type: "StaticArgumentProvider",
        data: { arguments: JSON.stringify({ note: stored("the arguments of a trigger") }) },
      }),
    });
    found.triggers.push(trigger);
    const valid = `valid_${id("f")}`;
    app.validCondition(valid, {
      condition: JSON.stringify({ condition_type: "EventCondition", data: { event_code: code } }),
      context: JSON.stringify({
        context_type: "EventContext",
        timestamp: "2026-01-05T12:00:00+00:00",
        data: {
          event_id: event,
          event_code: code,
          invocation_id: failed,
          payload: { note: stored("what met a condition"), secret: stored("what met a condition, by name") },
          arguments_json: { note: stored("the arguments of what met a condition") },
          result: stored("the result of what met a condition"),
          exception_type: "ValueError",
          exception_message: place("the message of what met a condition"),
        },
      }),
    });
    const waiting = id("9");
    app.invocation(waiting, {
      task,
      arguments: { note: stored("a waiting argument") },
      history: [[at(n + 7), "registered"]],
    });
    app.message(waiting, at(n + 7), { queue: isName ? place("the name of a queue") : "default" });
    found.waiting.push(waiting);
    const run = id("8");
    app.triggerRun(run, {
      trigger_id: trigger,
      task_id_key: task,
      claimed_at: at(n + 6),
      executed_at: at(n + 6),
      triggered_invocation_id: waiting,
      participants: [
        {
          condition_id: condition,
          valid_condition_id: valid,
          event_id: event,
          context_type: "EventContext",
          context_timestamp: at(n + 5),
          context_summary: place("the summary of a context"),
        },
      ],
    });
    found.runs.push(run);
    app.execution(id("7"), { runner_id: runner, start_time: at(n), end_time: at(n + 1), reason: place("a reason") });
    const at3 = String(n % 60).padStart(2, "0");
    lines.push(
      `2026-01-05 12:0${Math.floor(n / 60)}:${at3}.000+00:00 WARNING pynenc.shop [${failed} ${task}] ${place("a line of a log")}`,
      `2026-01-05 12:0${Math.floor(n / 60)}:${at3}.500+00:00 INFO pynenc.shop [${succeeded}] ${"x ".repeat(1_925 + (n % 20))}${place("a long line of a log")}`,
    );
  }
  const secretValue = {
    name: "a compared value",
    text: (b: { mixed(length: number): string }) => `${b.mixed(9)}, "${b.mixed(9)}" x`,
  };
  const compared = secretOf(secretValue, "an argument");
  const nested = secretOf(secretValue, "a nested argument");
  secrets.push(compared, nested);
  for (let n = 0; n < 2 * COMPARED; n++) {
    const isFailed = n < COMPARED;
    const login = { user: "a", api_key: isFailed ? nested.text : "none" };
    app.invocation(`6${n.toString(16).padStart(7, "0")}-1b2c-4d3e-8f90-a1b2c3d4e5f6`, {
      task: "shop.reset_password",
      arguments: {
        password: JSON.stringify(isFailed ? compared.text : "none"),
        login: JSON.stringify(login),
        n: String(n),
      },
      history: [
        [at(100 + n), "registered"],
        [at(101 + n), "running", found.runners[0] ?? "r"],
        [at(102 + n), isFailed ? "failed" : "success", found.runners[0] ?? "r"],
      ],
      ...(isFailed ? { exception: storedError("ValueError", "refused") } : { result: '"done"' }),
    });
  }
  found.log = `${lines.join("\n")}\n`;
  return found;
}
