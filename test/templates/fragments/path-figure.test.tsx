import { describe, expect, it } from "vitest";
import type { CriticalPath, PathSegment } from "../../../src/api/model/critical-path.ts";
import { PathFigure } from "../../../templates/fragments/invocations/path-figure.tsx";
import { html, text } from "../render.tsx";

const AT = "2026-01-05T12:00:00.000000+00:00";

const piece = (changes: Partial<PathSegment>): PathSegment => ({
  from: AT,
  to: AT,
  duration_seconds: 1,
  microseconds: 1_000_000,
  invocation_id: "own",
  task_id_key: "shop.pay",
  phase: "running",
  attempt: 1,
  runner_id: null,
  waits_for: null,
  waited_by: null,
  link: null,
  ...changes,
});

function path(segments: PathSegment[]): CriticalPath {
  const microseconds = segments.reduce((sum, one) => sum + one.microseconds, 0);
  const shares = segments.map((one) => ({ ...one, segments: 1 }));
  return {
    from: AT,
    to: AT,
    duration_seconds: microseconds / 1e6,
    microseconds,
    ongoing: false,
    segments,
    shares,
    complete: true,
    notes: [],
  };
}

describe("a critical path", () => {
  it("links other invocations, does not link its own, and marks time of which nothing is known", () => {
    const shown = path([piece({}), piece({ invocation_id: "child", phase: "not_known", link: "pause" })]);
    expect(html(<PathFigure path={shown} />)).toContain('href="/invocations/child"');
    expect(html(<PathFigure path={shown} />)).not.toContain('href="/invocations/own"');
    const words = text(<PathFigure path={shown} />);
    expect(words).toContain("not known");
    expect(words).toContain("50 %");
    expect(words).not.toContain("whether it waited");
  });

  it("says that a wait is not stored if the caller kept running", () => {
    expect(text(<PathFigure path={path([piece({}), piece({ invocation_id: "child", link: "run" })])} />)).toContain(
      "the time counts as its own",
    );
  });

  it("leaves out pieces too thin to be seen, and lists at most twelve shares", () => {
    const many = Array.from({ length: 20 }, (_, n) =>
      piece({ invocation_id: `i${n}`, link: "pause", microseconds: n === 0 ? 10 : 1_000_000 }),
    );
    expect(html(<PathFigure path={path(many)} />).match(/path-piece/g)).toHaveLength(19);
    expect(text(<PathFigure path={path(many)} />)).toContain("8 smaller shares are left out here.");
  });
});
