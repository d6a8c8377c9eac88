import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { refusePresentFilters } from "../../../src/services/model/invocation-filter.ts";
import { parseTimelineInput } from "../../../src/services/timeline/timeline-input.ts";

const NOW = Date.UTC(2026, 10, 21, 12) / 1000;
const at = (time: string) => Date.parse(`2026-11-21T${time}Z`) / 1000;

function read(query: Record<string, string>) {
  const raw = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]));
  return parseTimelineInput(raw, ["teleported"], NOW);
}

describe("the requested window", () => {
  it.each([
    ["nothing", {}, null],
    ["a preset", { range: "1h" }, [NOW - 3_600, NOW]],
    ["both dates", { from: "2026-11-21T10:00", to: "2026-11-21T10:30" }, [at("10:00:00"), at("10:30:00")]],
    ["a beginning, until now", { from: "2026-11-21T10:00" }, [at("10:00:00"), NOW]],
    ["an end, for the usual time", { to: "2026-11-21T10:00" }, [at("09:55:00"), at("10:00:00")]],
    ["a beginning and a length", { from: "2026-11-21 10:00", range: "15m" }, [at("10:00:00"), at("10:15:00")]],
    ["a length and an end", { to: "2026-11-21T10:00", range: "1h" }, [at("09:00:00"), at("10:00:00")]],
    ["a beginning in the future", { from: "2026-11-21T13:00" }, [at("13:00:00"), at("13:05:00")]],
    ["an offset", { from: "2026-11-21T12:00+02:00", to: "2026-11-21T11:00Z" }, [at("10:00:00"), at("11:00:00")]],
    ["custom without dates", { range: "custom" }, null],
    ["a beginning that is now", { from: "2026-11-21T12:00" }, [NOW, NOW + 300]],
  ])("is right from %s", (_name, query, expected) => {
    const { window } = read(query as Record<string, string>);
    expect(window === null ? null : [window.start, window.end]).toEqual(expected);
  });

  it("is widened if it has no length", () => {
    const { window } = read({ from: "2026-11-21T10:00", to: "2026-11-21T10:00" });
    expect((window?.end ?? 0) - (window?.start ?? 0)).toBeCloseTo(0.002, 6);
    expect(((window?.end ?? 0) + (window?.start ?? 0)) / 2).toBeCloseTo(at("10:00:00"), 3);
    const long = read({ from: "2026-11-21T10:00:00.000", to: "2026-11-21T10:00:00.003" }).window;
    expect((long?.end ?? 0) - (long?.start ?? 0)).toBeCloseTo(0.003, 6);
  });

  it("is a preset only without dates", () => {
    expect(read({ range: "1h" }).preset).toBe("1h");
    expect(read({ range: "1h", to: "2026-11-21T10:00" }).preset).toBeNull();
    expect(read({ range: "1h", from: "2026-11-21T10:00" }).preset).toBeNull();
    expect([read({}).preset, read({ range: "custom" }).preset]).toEqual([null, null]);
  });
});

describe("the parameters of a timeline", () => {
  it("include the filter of the invocation list, without its time", () => {
    const { filter, filtered } = read({ task_id: "a.b", inv_ids: "x, y,x", status: "Failed", range: "1h" });
    expect(filtered).toBe(true);
    expect(filter).toMatchObject({
      task_id_key: "a.b",
      invocation_ids: ["x", "y"],
      statuses: ["failed"],
      from: null,
      to: null,
    });
    expect(read({ range: "1h", selected: "x" }).filtered).toBe(false);
  });

  it("have everything switched on by default", () => {
    expect(read({}).options).toEqual({
      group: "runner",
      collapse_external: true,
      show_system: true,
      show_atomic_service: true,
      limit: 500,
      open: [],
      selected: null,
      focus_event: null,
      categories: ["pending", "running"],
    });
    expect(read({ show_system: "0", histogram_status: "running,Registered" }).options).toMatchObject({
      show_system: false,
      categories: ["registered", "running"],
    });
  });

  it("include limits, switches, the selection and the focus", () => {
    const given = { collapse_external: "0", show_atomic_service: "0", selected: "i", focus_event: "e" };
    expect(read({ ...given, limit: "5000", histogram_status: " Pending ,, registered" }).options).toMatchObject({
      collapse_external: false,
      show_system: true,
      show_atomic_service: false,
      selected: "i",
      focus_event: "e",
      limit: 5_000,
      categories: ["registered", "pending"],
    });
    expect(() => read({ limit: "5001" })).toThrow("limit");
  });

  it("refuse unknown categories, with the known ones", () => {
    expect(() => read({ histogram_status: "running,x, y" })).toThrow(/"x, y" .*pending, running/);
  });

  it("refuse dates in the wrong order, and accept a preset with an end", () => {
    expect(() => read({ from: "2026-11-21T10:00", to: "2026-11-21T09:00" })).toThrow(InvalidInputError);
    expect(read({ to: "2026-11-21T01:00", range: "1h" }).window?.end).toBe(at("01:00:00"));
  });

  it.each([{ range: "99999d" }, { from: "2254-12-31", range: "2d" }, { to: "1970-01-01T01:00", range: "1d" }])(
    "refuse %j, whose other end is out of range",
    (query) => {
      expect(() => read(query)).toThrow(/^range: .* whose other end is between 1970-01-01 and 2255-01-01$/);
    },
  );

  it("refuse filters by the present status with a past instant, and name them", () => {
    const past = { at: "2026-11-21T10:00" };
    const refusal = (query: Record<string, string>) => {
      try {
        refusePresentFilters(read({ ...past, ...query }));
        return null;
      } catch (error) {
        return error instanceof InvalidInputError
          ? error.problems.map(({ parameter, value }) => `${parameter} ${value}`)
          : error;
      }
    };
    expect(refusal({ status: "failed" })).toEqual(["status failed"]);
    expect(refusal({ status: "failed,retry" })).toEqual(["status failed, retry"]);
    expect(refusal({ runner: "r1" })).toEqual(["runner r1"]);
    expect(refusal({ task_id: "a.b", inv_ids: "x" })).toBeNull();
    expect(() => refusePresentFilters(read({ status: "failed" }))).not.toThrow();
  });

  it("refuse unknown parameters and values", () => {
    for (const query of [
      { limit: "0" },
      { zoom: "2" },
      { collapse_external: "yes" },
      { histogram_status: "x" },
    ] as const)
      expect(() => read({ ...query })).toThrow(InvalidInputError);
  });
});
