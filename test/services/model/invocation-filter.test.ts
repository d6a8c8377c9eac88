import { describe, expect, it } from "vitest";
import { parseInvocationInput } from "../../../src/services/model/invocation-filter.ts";

const NOW = 1_800_000_000;
const statuses = (given: string[], stored: string[] = []) =>
  parseInvocationInput({ status: given }, stored, NOW).filter.statuses;

describe("statuses of the invocation filter", () => {
  it("may be repeated, separated by commas, and of any case", () => {
    expect(statuses(["failed", "RETRY"])).toEqual(["failed", "retry"]);
    expect(statuses(["Failed, retry ,,"])).toEqual(["failed", "retry"]);
    expect(statuses(["failed", "failed"])).toEqual(["failed"]);
    expect(statuses([])).toEqual([]);
  });

  it("may be words as the store has them, even with a comma or capitals", () => {
    const stored = ["Teleported", "a,b", "success"];
    expect(statuses(["Teleported"], stored)).toEqual(["Teleported"]);
    expect(statuses(["a,b"], stored)).toEqual(["a,b"]);
    expect(statuses(["SUCCESS,Teleported"], stored)).toEqual(["success", "Teleported"]);
  });

  it("are refused if they are neither pynenc's nor stored, with the list of accepted words", () => {
    expect(() => statuses(["teleported"], ["Teleported"])).toThrow(
      /"teleported" is not accepted.*registered.*Teleported/,
    );
  });
});

describe("time range of the invocation filter", () => {
  it("counts presets back from now, and explicit dates override a preset", () => {
    const at = (raw: Record<string, string[]>) => {
      const { from, to } = parseInvocationInput(raw, [], NOW).filter;
      return [from, to];
    };
    expect(at({ range: ["15m"] })).toEqual([NOW - 900, null]);
    expect(at({ range: ["custom"], from: ["2026-11-21T00:00:00"] })).toEqual([1_795_219_200, null]);
    expect(at({ range: ["1h"], from: ["2026-11-21T01:00:00+01:00"], to: ["2026-11-22"] })).toEqual([
      1_795_219_200, 1_795_305_600,
    ]);
  });
});
