import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FINAL_STATUSES, STATUSES, statusInfo } from "../../src/pynenc/statuses.ts";
import {
  allowedFrom,
  canMove,
  checkTransition,
  isPossibleInHistory,
  TransitionError,
} from "../../src/pynenc/transitions.ts";
import { FIXTURES, openFixture } from "./fixture-rows.ts";

const NAMES = STATUSES.map((s) => s.name);
const status = fc.constantFrom(...NAMES);
const runner = fc.constantFrom("r1", "r2", null);

describe("allowedFrom", () => {
  it("returns the statuses that may follow", () => {
    expect(allowedFrom("pending")).toEqual(["running", "killed", "rerouted", "pending_recovery"]);
    expect(allowedFrom("rerouted")).toEqual(["pending", "concurrency_controlled"]);
  });

  it("is empty for final and for unknown statuses", () => {
    for (const name of FINAL_STATUSES) expect(allowedFrom(name)).toEqual([]);
    expect(allowedFrom("resumed")).toEqual([]);
    expect(allowedFrom("constructor")).toEqual([]);
  });

  it("leads only to known statuses, and to every one but registered", () => {
    const reached = new Set(STATUSES.flatMap((s) => allowedFrom(s.name)));
    expect([...reached].sort()).toEqual(
      STATUSES.map((s) => s.name)
        .filter((name) => name !== "registered")
        .sort(),
    );
  });
});

describe("canMove", () => {
  it("starts with registered and with nothing else", () => {
    expect(STATUSES.filter((s) => canMove(null, s.name)).map((s) => s.name)).toEqual(["registered"]);
  });

  it("never allows an unknown word on either side", () => {
    fc.assert(
      fc.property(fc.string(), status, (word, known) => {
        fc.pre(!STATUSES.some((s) => s.name === word));
        expect(canMove(word, known) || canMove(known, word) || canMove(null, word)).toBe(false);
      }),
    );
  });
});

describe("isPossibleInHistory", () => {
  it("accepts the transitions of 0.2.0 to 0.2.3 that canMove refuses", () => {
    for (const [from, to] of [
      ["pending", "failed"],
      ["paused", "resumed"],
      ["resumed", "success"],
      ["resumed", "paused"],
    ] as const) {
      expect(isPossibleInHistory(from, to)).toBe(true);
      expect(canMove(from, to)).toBe(false);
    }
  });

  it("refuses transitions that no version allowed", () => {
    expect(isPossibleInHistory("success", "running")).toBe(false);
    expect(isPossibleInHistory("registered", "running")).toBe(false);
    expect(isPossibleInHistory("resumed", "running")).toBe(false);
    expect(isPossibleInHistory(null, "pending")).toBe(false);
  });

  it("accepts every transition of the current rules", () => {
    const every = [null, ...NAMES].flatMap((from) => NAMES.map((to) => [from, to] as const));
    const moves = every.filter(([from, to]) => canMove(from, to));
    expect(moves.length).toBeGreaterThan(NAMES.length);
    expect(moves.filter(([from, to]) => !isPossibleInHistory(from, to))).toEqual([]);
  });

  it.each(FIXTURES)("accepts the histories of real runs: %s", (file) => {
    const impossible = openFixture(file).flatMap(({ history }) => {
      const last = new Map<string, string>();
      return history.flatMap(({ invocation_id, history_status }) => {
        const from = last.get(invocation_id) ?? null;
        last.set(invocation_id, history_status);
        return isPossibleInHistory(from, history_status) ? [] : [`${invocation_id}: ${from} to ${history_status}`];
      });
    });
    expect(impossible).toEqual([]);
  });
});

describe("checkTransition", () => {
  it("keeps the registering runner's id although registered has no owner", () => {
    expect(checkTransition(null, "registered", "ExternalRunner@host-1")).toEqual({
      status: "registered",
      runner_id: "ExternalRunner@host-1",
    });
    expect(checkTransition(null, "registered", null)).toEqual({ status: "registered", runner_id: null });
  });

  it("follows ownership through a normal life", () => {
    const registered = checkTransition(null, "registered", "client");
    const pending = checkTransition(registered, "pending", "r1");
    expect(pending).toEqual({ status: "pending", runner_id: "r1" });
    const running = checkTransition(pending, "running", "r1");
    const paused = checkTransition(running, "paused", "r1");
    expect(paused.runner_id).toBe("r1");
    expect(checkTransition(checkTransition(paused, "running", "r1"), "success", "r1")).toEqual({
      status: "success",
      runner_id: null,
    });
  });

  it("lets recovery take an invocation away from its owner", () => {
    expect(checkTransition({ status: "running", runner_id: "r1" }, "running_recovery", "r2")).toEqual({
      status: "running_recovery",
      runner_id: null,
    });
    expect(checkTransition({ status: "pending", runner_id: "r1" }, "pending_recovery", null).runner_id).toBeNull();
  });

  it("refuses another runner's invocation", () => {
    const move = () => checkTransition({ status: "running", runner_id: "r1" }, "success", "r2");
    expect(move).toThrow("running belongs to r1, r2 cannot make it success");
  });

  it("refuses to become pending without a runner", () => {
    expect(() => checkTransition({ status: "retry", runner_id: null }, "pending", null)).toThrow("needs a runner");
  });

  it("refuses to change a final status, whatever the target", () => {
    for (const name of FINAL_STATUSES) {
      expect(() => checkTransition({ status: name, runner_id: null }, "nonsense", "r1")).toThrow("is final");
    }
  });

  it("checks the transition before the owner", () => {
    expect(() => checkTransition({ status: "running", runner_id: "r1" }, "pending", "r2")).toThrow("cannot become");
  });

  it("lists the allowed statuses in its error", () => {
    expect(() => checkTransition({ status: "paused", runner_id: "r1" }, "success", "r1")).toThrow(
      "paused cannot become success; allowed: running, killed",
    );
    expect(() => checkTransition(null, "pending", "r1")).toThrow(
      "no status cannot become pending; allowed: registered",
    );
  });

  it("refuses the old status resumed", () => {
    expect(() => checkTransition({ status: "paused", runner_id: "r1" }, "resumed", "r1")).toThrow("cannot become");
    expect(() => checkTransition({ status: "resumed", runner_id: "r1" }, "success", "r1")).toThrow("cannot become");
  });

  it("allows exactly the transitions of the table, with an owner exactly if the status needs one", () => {
    fc.assert(
      fc.property(status, runner, status, runner, (from, owner, to, acting) => {
        try {
          const moved = checkTransition({ status: from, runner_id: owner }, to, acting);
          expect(canMove(from, to)).toBe(true);
          expect(moved.status).toBe(to);
          if (statusInfo(to).releases_ownership) expect(moved.runner_id).toBeNull();
          if (statusInfo(to).acquires_ownership) expect(moved.runner_id).toBe(acting);
        } catch (error) {
          expect(error).toBeInstanceOf(TransitionError);
          expect(canMove(from, to) && owner === acting && acting !== null).toBe(false);
        }
      }),
    );
  });
});
