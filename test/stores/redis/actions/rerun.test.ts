/** Registering calls once more on Redis, key by key: the table "rerun by hand" of the fixture's notes, verified with real runners. */
import { expect, it } from "vitest";
import { RefusedError, StoreUnreachableError } from "../../../../src/errors.ts";
import { externalCaller } from "../../../../src/pynenc/rerun.ts";
import type { RerunRequest } from "../../../../src/stores/ports/actions.ts";
import { COMPONENTS } from "../../../../src/stores/ports/common.ts";
import type { ComponentEndpoints } from "../../../../src/stores/redis/server/servers.ts";
import { RedisStore } from "../../../../src/stores/redis/store.ts";
import { cutLineTo } from "../../../support/cut-line.ts";
import { kitchenSinkOnRedis } from "../../../support/kitchen-sink-on-redis.ts";
import { type AllKeys, allKeys, difference, membersIn } from "../../../support/redis-keys.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

const REQUEST: RerunRequest = { caller: externalCaller("monitor", 1), force: false };
const NEW_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SINK = "__pynenc__:sink__OPEN_BRACKET__3__CLOSE_BRACKET____ASTERISK__?:";
const KITCHEN = "__pynenc__:kitchen_sink:";
/** `tasks3.hi` of `sink[3]*?` with the argument `a`. */
const HI_CALL = "tasks3.hi:7f35ff69a2a26d3f191d9dcdd45cc9f41945893379481e653b799401d2678e00";

describeWithRedis("a rerun on Redis", () => {
  let server: RedisServer;
  let store: RedisStore;
  let before: AllKeys;
  kitchenSinkOnRedis((sink) => {
    ({ server, store, before } = sink);
  });

  /** Ids of the definitions of a task, by their keys. */
  function idsOf(prefix: string, task: string): string[] {
    const head = `${prefix}state_backend:invocation:`;
    return [...before]
      .filter(([key, value]) => key.startsWith(head) && value.includes(`\\"task_id_key\\": \\"${task}\\"`))
      .map(([key]) => key.slice(head.length));
  }

  /** A string that is kept under a key. */
  const text = (keys: AllKeys, key: string) => (JSON.parse(keys.get(key) ?? "[]") as string[])[1];

  it("writes the same keys as the verified example, in the same order", async () => {
    const source = membersIn(before, `${SINK}orchestrator:call_to_invocation:${HI_CALL}`)[0] ?? "";
    const from = Date.now() / 1000 - 0.001;
    const [done] = await store.app("sink[3]*?").actions.rerun([source], REQUEST);
    const id = done?.new_invocation_id ?? "";
    expect(done).toEqual({
      invocation_id: source,
      task_id_key: "tasks3.hi",
      new_invocation_id: expect.stringMatching(NEW_ID),
      refusal: null,
      own_workflow: true,
      indexed_arguments: 1,
      control: "none_at_registration",
      waiting_of_task: null,
      route: null,
    });
    const after = await allKeys(server);
    const score = Number(membersIn(after, `${SINK}orchestrator:all_invocations_by_time`).at(-1));
    expect(score).toBeGreaterThan(from);
    const iso =
      /"timestamp": "([^"]*)"/.exec(text(after, `${SINK}orchestrator:invocation_status:${id}`) ?? "")?.[1] ?? "";
    expect(iso).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    const caller = "ExternalRunner@monitor-1";
    const status = `{"status": "registered", "runner_id": "${caller}", "timestamp": "${iso}"}`;
    const history = `{"invocation_id": "${id}", "_timestamp": "${iso}", "status_record": ${status}, "runner_context_id": "${caller}", "registered_by_inv_id": null}`;
    const definition =
      `{"invocation_id": "${id}", "call_id_key": "${HI_CALL}", "task_id_key": "tasks3.hi", "arguments_id": "${HI_CALL.slice(10)}", ` +
      `"serialized_arguments": {"name": "\\"a\\""}, "parent_invocation_id": null, "workflow_id": "${id}", "workflow_type_key": "tasks3.hi", "parent_workflow_id": null}`;
    const one = (type: string, ...value: string[]) => JSON.stringify([type, type === "string" ? value[0] : value]);
    const expected = new Map(before);
    const added = (key: string, ...members: string[]) =>
      expected.set(key, JSON.stringify(["set", [...membersIn(before, key), ...members].sort()]));
    const scored = (key: string, member: string) =>
      expected.set(key, JSON.stringify(["zset", [...membersIn(before, key), member, String(score)]]));
    expected.set(`${SINK}state_backend:invocation:${id}`, one("string", definition));
    expected.set(`${SINK}state_backend:workflow:invocations:${id}`, one("set", id));
    added(`${SINK}state_backend:workflow:type_invocations:tasks3.hi`, id);
    added(`${SINK}orchestrator:task:tasks3.hi`, id);
    added(`${SINK}orchestrator:call_to_invocation:${HI_CALL}`, id);
    expected.set(`${SINK}orchestrator:invocation_to_call:${id}`, one("string", HI_CALL));
    expected.set(`${SINK}orchestrator:status:registered`, one("set", id));
    expected.set(`${SINK}orchestrator:invocation_status:${id}`, one("string", status));
    expected.set(`${SINK}orchestrator:invocation_retries:${id}`, one("string", "0"));
    scored(`${SINK}orchestrator:all_invocations_by_time`, id);
    scored(`${SINK}orchestrator:task_invocations_by_time:tasks3.hi`, id);
    expected.set(
      `${SINK}state_backend:runner_context:${caller}`,
      one(
        "string",
        `{"hostname": "monitor", "pid": 1, "runner_cls": "ExternalRunner", "runner_id": "${caller}", "thread_id": 0}`,
      ),
    );
    expected.set(`${SINK}state_backend:history:${id}`, one("list", history));
    scored(`${SINK}state_backend:history_by_timestamp`, `${id}:${score}:${history}`);
    expected.set(`${SINK}orchestrator:task:tasks3.hi:arg:name:val:"a"`, one("set", id));
    expected.set(`${SINK}broker:default_queue`, one("list", id));
    expect(difference(expected, after)).toEqual({ gone: [], come: [], changed: [] });
    // The text and the number are the same instant.
    expect(Math.abs(Date.parse(iso) / 1000 - score)).toBeLessThan(0.001);
  });

  it("registers a list at once, the newest last, and keeps the context of a known caller", async () => {
    const ids = [...idsOf(KITCHEN, "tasks.add").slice(0, 3), ...idsOf(KITCHEN, "tasks.root")];
    const known = `${KITCHEN}state_backend:runner_context:ExternalRunner@vm-8057`;
    const caller = externalCaller("vm", 8057);
    const done = await store.app("kitchen_sink").actions.rerun(ids, { ...REQUEST, caller });
    const made = done.map((one) => one.new_invocation_id ?? "");
    const after = await allKeys(server);
    expect(new Set(made).size).toBe(ids.length);
    expect(membersIn(after, `${KITCHEN}broker:default_queue`).slice(6)).toEqual(made);
    const index = membersIn(after, `${KITCHEN}orchestrator:all_invocations_by_time`).filter((_, i) => i % 2 === 0);
    expect(index.slice(-made.length)).toEqual(made);
    expect(after.get(known)).toBe(before.get(known));
    const { gone, come } = difference(before, after);
    expect(gone).toEqual([]);
    const others = come.filter((key) => !made.some((id) => key.endsWith(id)));
    expect(others.every((key) => /^\S+:orchestrator:task:tasks\.(add|root):arg:\w+:val:/.test(key))).toBe(true);
    expect(others.length).toBeGreaterThan(ids.length);
  });

  it("indexes the arguments of a task with concurrency control, and refuses a duplicate", async () => {
    const [source = ""] = idsOf(KITCHEN, "tasks.cc_keys_drop").filter((id) =>
      membersIn(before, `${KITCHEN}orchestrator:task:tasks.cc_keys_drop:arg:n:val:4`).includes(id),
    );
    const app = store.app("kitchen_sink");
    const [preview] = await app.read((reads) => reads.preview.rerun([source], REQUEST));
    expect(preview).toMatchObject({ indexed_arguments: 2, refusal: null, new_invocation_id: null });
    expect(await allKeys(server)).toEqual(before);
    const [first, second] = await app.actions.rerun([source, source], REQUEST);
    const id = first?.new_invocation_id ?? "";
    expect(second?.refusal).toEqual({ kind: "duplicate", invocation_id: id });
    const after = await allKeys(server);
    expect(membersIn(after, `${KITCHEN}orchestrator:task:tasks.cc_keys_drop:arg:n:val:4`)).toContain(id);
    expect(membersIn(after, `${KITCHEN}orchestrator:task:tasks.cc_keys_drop:arg:account:val:"acc2"`)).toContain(id);
    expect((await app.actions.rerun([source], REQUEST))[0]?.refusal).toEqual({ kind: "duplicate", invocation_id: id });
    expect((await app.actions.rerun([source], { ...REQUEST, force: true }))[0]?.refusal).toBeNull();
  });

  it("adds no message when the caller wants to add it itself", async () => {
    const [source = ""] = idsOf(KITCHEN, "tasks.add");
    const [done] = await store.app("kitchen_sink").actions.rerun([source], { ...REQUEST, enqueue: false });
    expect(done?.new_invocation_id).toMatch(NEW_ID);
    const after = await allKeys(server);
    expect(after.get(`${KITCHEN}broker:default_queue`)).toBe(before.get(`${KITCHEN}broker:default_queue`));
    expect(after.has(`${KITCHEN}orchestrator:invocation_status:${done?.new_invocation_id}`)).toBe(true);
  });

  it("gives only workflow tasks a workflow when the data is of newer plugins", async () => {
    const add = idsOf(KITCHEN, "tasks.add")[0] ?? "";
    const outer = idsOf(KITCHEN, "tasks.wf_outer")[0] ?? "";
    const plain = (id: string) =>
      (text(before, `${KITCHEN}state_backend:invocation:${id}`) ?? "").replace(
        /"parent_invocation_id": null.*/,
        '"parent_invocation_id": null, "parent_event_id": null, "workflow_id": null, "workflow_type_key": null, "parent_workflow_id": null}',
      );
    await server.exchange([
      ["SET", `${KITCHEN}state_backend:invocation:${add}`, plain(add)],
      ["SADD", `${KITCHEN}trigger:evts_codes`, "order.created"],
      // What ran as a workflow of its own in the older layout was one only by that layout.
      ["DEL", `${KITCHEN}state_backend:workflow:type_index:tasks.add`],
      [
        "DEL",
        ...idsOf(KITCHEN, "tasks.add")
          .slice(1)
          .map((id) => `${KITCHEN}state_backend:invocation:${id}`),
      ],
    ]);
    const [plainDone, workflowDone] = await store.app("kitchen_sink").actions.rerun([add, outer], REQUEST);
    expect([plainDone?.own_workflow, workflowDone?.own_workflow]).toEqual([false, true]);
    const after = await allKeys(server);
    const written = text(after, `${KITCHEN}state_backend:invocation:${plainDone?.new_invocation_id}`);
    expect(written).toBe(plain(add).replace(add, plainDone?.new_invocation_id ?? ""));
    expect(after.has(`${KITCHEN}state_backend:workflow:invocations:${plainDone?.new_invocation_id}`)).toBe(false);
    expect(text(after, `${KITCHEN}state_backend:invocation:${workflowDone?.new_invocation_id}`)).toContain(
      `"parent_event_id": null, "workflow_id": "${workflowDone?.new_invocation_id}", "workflow_type_key": "tasks.wf_outer"`,
    );
  });

  it("refuses unknown, unreadable and dangling calls with the reason", async () => {
    const [broken = ""] = idsOf(KITCHEN, "tasks.add");
    const withReference = [...before].filter(
      ([key, value]) =>
        key.startsWith(`${KITCHEN}state_backend:invocation:`) && value.includes("__pynenc__client_data__:"),
    );
    expect(withReference.length).toBeGreaterThan(0);
    const key = `${KITCHEN}state_backend:invocation:${broken}`;
    await server.exchange([
      [
        "SET",
        key,
        (text(before, key) ?? "").replace(/"serialized_arguments": \{[^}]*\}/, '"serialized_arguments": [1]'),
      ],
      ["DEL", ...[...before.keys()].filter((one) => one.startsWith(`${KITCHEN}client_data_store:`))],
    ]);
    const dangling = withReference.map(([one]) => one.slice(one.lastIndexOf(":") + 1));
    const ids = ["no-such-id", broken, ...dangling];
    const app = store.app("kitchen_sink");
    const preview = await app.read((reads) => reads.preview.rerun(ids, REQUEST));
    const changed = await allKeys(server);
    const done = await app.actions.rerun(ids, REQUEST);
    expect(done).toEqual(preview);
    expect(done.map((one) => one.refusal?.kind)).toEqual(["unknown", "unreadable", ...dangling.map(() => "dangling")]);
    for (const { refusal } of done.slice(2)) {
      expect(
        refusal?.kind === "dangling" &&
          refusal.references.every((one) => /^__pynenc__client_data__:[0-9a-f]{64}$/.test(one)),
      ).toBe(true);
    }
    expect(await allKeys(server)).toEqual(changed);
  });

  it("puts the message on the queue's own server, and registers nothing while that cannot be reached", async () => {
    const [source = ""] = idsOf(KITCHEN, "tasks.add");
    const queue = await startRedis();
    const ofApp = Object.fromEntries(COMPONENTS.map((component) => [component, server.endpoint]));
    const apart = new RedisStore({ ...ofApp, broker: queue.endpoint } as ComponentEndpoints, {
      readOnly: false,
      threads: 0,
    });
    try {
      await queue.stop();
      const lost = await apart
        .app("kitchen_sink")
        .actions.rerun([source], REQUEST)
        .catch((error: unknown) => error);
      expect(lost).toBeInstanceOf(StoreUnreachableError);
      expect(difference(before, await allKeys(server))).toEqual({ gone: [], come: [], changed: [] });
      await queue.start();
      const [done] = await apart.app("kitchen_sink").actions.rerun([source], REQUEST);
      const messages = membersIn(await allKeys(queue), `${KITCHEN}broker:default_queue`);
      expect(messages).toEqual([done?.new_invocation_id]);
      const after = await allKeys(server);
      expect(after.get(`${KITCHEN}broker:default_queue`)).toBe(before.get(`${KITCHEN}broker:default_queue`));
      expect(after.has(`${KITCHEN}orchestrator:invocation_status:${messages[0]}`)).toBe(true);
      expect(await apart.app("kitchen_sink").actions.purge(["broker"])).toEqual([
        { component: "broker", name: "default_queue", rows: 1, exact: true },
      ]);
      expect(difference(after, await allKeys(server))).toEqual({ gone: [], come: [], changed: [] });
    } finally {
      await apart.close();
      await queue.close();
    }
  });

  it("is refused by a replica, and registers no call in part when the server is lost", async () => {
    const ids = idsOf(KITCHEN, "tasks.add").slice(0, 3);
    const app = store.app("kitchen_sink");
    await server.exchange([["REPLICAOF", "127.0.0.1", "1"]]);
    const refused = await app.actions.rerun(ids, REQUEST).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RefusedError);
    await server.exchange([["REPLICAOF", "NO", "ONE"]]);
    expect(await allKeys(server)).toEqual(before);
    const line = await cutLineTo(server, ([name]) => (name === "EXEC" ? "request" : null));
    const cut = storeOn(line);
    const halfway = await cut
      .app("kitchen_sink")
      .actions.rerun(ids, REQUEST)
      .catch((error: unknown) => error);
    expect(halfway).toBeInstanceOf(StoreUnreachableError);
    expect((halfway as Error).message).toContain("may have been registered");
    await cut.close();
    await line.close();
    expect(difference(before, await allKeys(server))).toEqual({ gone: [], come: [], changed: [] });
    await server.stop();
    const lost = await app.actions.rerun(ids, REQUEST).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(StoreUnreachableError);
    await server.start();
    expect(await allKeys(server)).toEqual(before);
  });
});
