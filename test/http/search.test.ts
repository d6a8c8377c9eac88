/** The search page, and pages whose ids are shortened: one match redirects to it, several are listed, and no match says what was looked for. */
import { parse } from "node-html-parser";
import { describe, expect, it } from "vitest";
import type { EventList } from "../../src/api/events.ts";
import type { FindAnswer } from "../../src/api/find.ts";
import type { InvocationList } from "../../src/api/invocations.ts";
import type { RunnerList } from "../../src/api/runners.ts";
import { createLinks } from "../../src/presentation/links.ts";
import { searchedPages } from "../../src/presentation/nav-entries.ts";
import { describeWithMonitor, type Monitor, monitorOf, sharedMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";
const HTML = { headers: { accept: "text/html" } };
const links = createLinks(null);

describeWithMonitor(
  "the search",
  () => monitorOf("kitchen_sink.db", "in process", { alone: APP }),
  (monitor) => {
    const search = (q: string) => monitor().json<FindAnswer>(links.search({ q }));
    const place = async (path: string) => {
      const response = await monitor().get(path, HTML);
      return [response.status, response.headers.get("location")];
    };
    const first = async () => {
      const { invocations } = await monitor().json<InvocationList>("/invocations/?limit=1");
      return invocations[0]?.invocation_id ?? "";
    };

    it("redirects a browser to the only match, and describes the match to a script", async () => {
      const id = await first();
      expect(await place(links.search({ q: `${id.slice(0, 8)}…${id.slice(-4)}` }))).toEqual([
        303,
        links.invocation(id),
      ]);
      const answer = await search(id.slice(0, 8).toUpperCase());
      expect(answer).toMatchObject({
        query: id.slice(0, 8).toUpperCase(),
        complete: true,
        matches: [{ kind: "invocation", id, path: links.invocation(id), label: expect.stringMatching(/^tasks\./) }],
      });
    });

    it("offers actions by name, each with its preview page, where actions are allowed", async () => {
      const { matches } = await search("purge");
      const actions = matches.filter((one) => one.kind === "action");
      expect(actions.map(({ id, path }) => [id, path])).toContainEqual(["purge_broker", links.purgeBroker()]);
      for (const { label, path } of actions) {
        const [status, title] = [(await monitor().get(path, HTML)).status, parse(await monitor().text(path))];
        expect([path, status, title.querySelector(".page-title")?.text.trim()]).toEqual([path, 200, label]);
      }
      expect(searchedPages(true, true).filter((one) => one.kind === "action")).toEqual([]);
    });

    it("finds a task by its function name, an event code and a page by its title", async () => {
      const { events } = await monitor().json<EventList>("/events/?page_size=1");
      const code = events[0]?.event_code ?? "";
      expect((await search(code.toUpperCase())).matches).toEqual([
        expect.objectContaining({ kind: "event_code", id: code, path: links.events({ event_code: code }) }),
      ]);
      expect(await place(links.search({ q: "statistics" }))).toEqual([303, "/stats/"]);
    });

    it("finds a page by an everyday word, unless something stored has that name", async () => {
      expect(await place(links.search({ q: "slow" }))).toEqual([303, "/stats/"]);
      expect((await search("pages that are slow")).matches).toEqual([]);
      const { matches } = await search("add");
      expect(matches.map(({ kind }) => kind)).not.toContain("page");
    });

    it("leads from a text in arguments to the invocations that have it", async () => {
      const { invocations } = await monitor().json<InvocationList>("/invocations/?task_id=tasks.add&limit=1000");
      const text = invocations.find((row) => row.arguments !== null && /^[a-z]+=\d\d+,/.test(row.arguments))?.arguments;
      const argument = /^[^,]+/.exec(text ?? "")?.[0] ?? "";
      expect(argument).toMatch(/^[a-z]+=\d\d+$/);
      const list = links.invocations({ q: `arg:${argument}` });
      expect(await place(links.search({ q: argument }))).toEqual([303, list]);
      const found = await monitor().json<InvocationList>(list);
      expect(found.invocations.length).toBeGreaterThan(0);
      expect(found.invocations.every((row) => row.arguments?.includes(argument))).toBe(true);
    });

    it("says what was looked for when nothing matches, and names similar ids", async () => {
      const id = await first();
      const answer = await search(`${id.slice(0, 8)}-ffff`);
      expect(answer).toMatchObject({ matches: [], complete: true, near: [{ id }] });
      expect(answer.tried).toContain(`ids that start with "${id.slice(0, 8)}-ffff"`);
      const text = parse(await monitor().text(links.search({ q: "zzzz<b>" }))).querySelector("main")?.text ?? "";
      expect(text).toContain('the full id "zzzz<b>"');
    });

    it("shows a form for an empty query, and refuses unknown kinds and overlong queries", async () => {
      expect(await search("")).toEqual({
        schema_version: 2,
        query: "",
        matches: [],
        complete: true,
        tried: [],
        near: [],
      });
      expect((await place("/search"))[0]).toBe(200);
      expect((await place("/search?q=a&kind=nothing"))[0]).toBe(400);
      expect((await place(`/search?q=${"a".repeat(10_001)}`))[0]).toBe(400);
    });

    it("is in the header of every page, and keeps the pinned app", async () => {
      const root = parse(await monitor().text(`/tasks/?app=${APP}`));
      const form = root.querySelector("header form.go-to");
      expect(form?.getAttribute("method")).toBe("get");
      expect(form?.querySelector("input[name=q]")).not.toBeNull();
      expect(form?.querySelector("input[name=app]")?.getAttribute("value")).toBe(APP);
      const id = await first();
      expect(await place(`/search?q=${id.slice(0, 8)}&app=${APP}`)).toEqual([
        303,
        `${links.invocation(id)}?app=${APP}`,
      ]);
    });
  },
);

describe("an address with a shortened id", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { alone: APP }));

  it("redirects to the whole id for every kind, and keeps the rest of the query", async () => {
    const { matches: pages } = await harvested(monitor);
    expect(new Set(pages.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(9);
    for (const { short, whole } of pages) {
      for (const accept of ["text/html", "application/json"]) {
        const response = await monitor.get(`${short}${short.includes("?") ? "&" : "?"}page=1`, { headers: { accept } });
        const rest = whole.includes("?") ? "&page=1" : "?page=1";
        expect([response.status, response.headers.get("location")]).toEqual([303, whole + rest]);
      }
    }
  });

  it("redirects a browser to a list when several ids match, and is refused for a script", async () => {
    const response = await monitor.get(links.condition("condition#"), HTML);
    const list = links.search({ q: "condition#", kind: "condition" });
    expect([response.status, response.headers.get("location")]).toEqual([303, list]);
    const { matches } = await monitor.json<FindAnswer>(list);
    expect(matches.length).toBeGreaterThan(1);
    expect(matches.every((one) => one.kind === "condition")).toBe(true);
    const refused = await monitor.get(links.condition("condition#"), { headers: { accept: "application/json" } });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ hint: expect.stringContaining(`  condition  ${matches[1]?.id}`) });
  });

  it("is 404 and names ids that begin with the same characters and others that contain the text", async () => {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=1");
    const id = invocations[0]?.invocation_id ?? "";
    const response = await monitor.get(`/events/${id}`, { headers: { accept: "application/json" } });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ hint: expect.stringContaining(`  invocation  ${id}`) });
  });

  it("is accepted in a filter for the whole id", async () => {
    const { runners } = await monitor.json<RunnerList>("/runners/?show=all");
    const id = runners.find((row) => /^[0-9a-f]{8}-/.test(row.runner_id))?.runner_id ?? "";
    const [short, whole] = await Promise.all(
      [id.slice(0, 8), id].map((runner) => monitor.json<InvocationList>(links.invocations({ runner }))),
    );
    expect(short?.filter.runner_id).toBe(id);
    expect(short?.invocations).toEqual(whole?.invocations);
    const several = await monitor.get(links.invocations({ call_id: "no_args" }), {
      headers: { accept: "application/json" },
    });
    expect(await several.json()).toMatchObject({ status: 400, errors: [{ parameter: "call_id", value: "no_args" }] });
  });
});

/** For each kind an address with a shortened id, and the whole one. */
async function harvested(monitor: Monitor) {
  const app = await monitor.workspace.openOnly();
  const one = <T>(rows: readonly T[]): T | undefined => rows[0];
  const slice = { limit: 1, offset: 0 };
  const ids = await app.store.read(async ({ orchestrator, state_backend, trigger, client_data_store }) => {
    const [triggers] = await Promise.all([trigger.triggers({}, slice)]);
    return {
      invocation: one(await orchestrator.listInvocations({}, slice))?.invocation_id,
      call: one(
        (await orchestrator.listInvocations({}, { limit: 100, offset: 0 })).filter(
          (row) => !row.call_id_key.endsWith("no_args"),
        ),
      )?.call_id_key,
      event: one(await trigger.listEvents({}, slice))?.event_id,
      trigger_run: one(await trigger.listTriggerRuns({}, slice))?.trigger_run_id,
      trigger: one(triggers)?.trigger_id,
      condition: one(triggers)?.condition_ids[0],
      runner: one(
        (await state_backend.listRunnerContexts({ limit: 50, offset: 0 })).filter(
          (row) => !row.runner_id.startsWith("E"),
        ),
      )?.runner_id,
      atomic_service_run: one(await orchestrator.executions(slice))?.atomic_service_run_id,
      workflow: one(await state_backend.workflowRuns(slice))?.workflow_id,
      client_data: one(await client_data_store.listValues(slice))?.data_key,
    };
  });
  const pages: Record<keyof typeof ids, (id: string) => string> = {
    invocation: links.invocation,
    call: links.call,
    event: links.event,
    trigger_run: links.triggerRun,
    trigger: links.trigger,
    condition: links.condition,
    runner: links.runner,
    atomic_service_run: links.atomicRun,
    workflow: links.workflowRun,
    client_data: links.clientValue,
  };
  return {
    matches: (Object.keys(pages) as (keyof typeof ids)[]).flatMap((kind) => {
      const id = ids[kind];
      if (id === undefined) return [];
      const short =
        kind === "condition" || kind === "call" ? id.slice(0, -1) : id.slice(0, kind === "client_data" ? 32 : 9);
      return [{ kind, short: pages[kind](short), whole: pages[kind](id) }];
    }),
  };
}
