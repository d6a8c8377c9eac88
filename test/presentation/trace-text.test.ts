/** A trace as text for other programs: all that is stored is escaped. */
import { describe, expect, test } from "vitest";
import type { Trace } from "../../src/api/causes.ts";
import { dotText, mermaidText } from "../../src/presentation/trace-text.ts";
import { traceOf } from "../support/traces.ts";

const EVIL = `x"]\n%%{init: {}}%% ; click <script>alert(1)</script>\\ \u202e #quot; -->|y|`;

describe("the text of a trace", () => {
  const trace = traceOf(["e1>r1>event", "r1>i1>trigger", "i1>e2>emit"], {
    events: [{ event_id: "e1", event_code: EVIL }] as unknown as Trace["events"],
    invocations: [
      { invocation_id: "i1", task_id_key: EVIL, status: EVIL, status_source: "history" },
    ] as unknown as Trace["invocations"],
  });

  test("for Mermaid has a line per node and edge, and stored text only as letters and entities", () => {
    const lines = mermaidText(trace).trimEnd().split("\n");
    expect(lines[0]).toBe("flowchart TD");
    expect(lines).toHaveLength(1 + 4 + 3 + 1);
    const labels = lines
      .slice(1, 5)
      .map((line) => /^ {2}n\d(?:\(\[|\[|\{\{)"([^"]*)"(?:\]\)|\]|\}\})$/.exec(line)?.[1]);
    for (const label of labels) expect(label?.replaceAll("<br/>", "")).toMatch(/^(?:[\p{L}\p{N} ._:/…-]|#\d+;)+$/u);
    expect(lines.slice(5, 8)).toEqual(["  n0 -->|takes part in| n2", "  n2 -->|starts| n1", "  n1 -->|emits| n3"]);
    expect(lines[8]).toBe("  style n0 stroke-width:3px");
  });

  test("for Graphviz closes every string", () => {
    const lines = dotText(trace).trimEnd().split("\n");
    expect(lines).toHaveLength(1 + 4 + 3 + 1);
    for (const line of lines.slice(1, 8)) {
      const outside = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
      expect(outside).toMatch(
        /^ {2}n\d (?:\[shape=(?:box|ellipse|hexagon), label=(?:, penwidth=3)?\]|-> n\d \[label=\]);$/,
      );
    }
  });

  test("marks nodes of which only a reference is stored", () => {
    expect(dotText(traceOf([]))).toContain('n0 [shape=ellipse, label="event, not stored\\ne1", penwidth=3];');
    expect(mermaidText(trace)).toContain('n3(["event#44; not stored<br/>e2"])');
    const runs = dotText(traceOf(["e1>r2>event", "r1>i1>trigger", "i1>i2>call"]));
    expect(runs).toContain('label="trigger run, not stored\\nr1"');
    expect(runs).toContain('label="calls"');
  });

  test("has short labels without invisible characters", () => {
    const long = traceOf(["e1>r1"], {
      events: [{ event_id: "e1", event_code: `a\u202e${"é".repeat(5_000)}` }] as unknown as Trace["events"],
    });
    for (const text of [mermaidText(long), dotText(long)]) {
      expect(text.length).toBeLessThan(1_000);
      expect(text).not.toContain("\u202e");
    }
  });
});
