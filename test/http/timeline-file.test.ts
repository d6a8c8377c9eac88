/** A drawing as a file is read by XML parsers, whatever is stored. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Timeline } from "../../src/api/timeline.ts";
import { loadAssets } from "../../src/http/assets.ts";
import { timelineFile } from "../../src/http/timeline-file.tsx";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { xmlFault } from "../support/xml.ts";

const assets = loadAssets();
const WINDOW = "start_date=2026-11-21T00:34:35&end_date=2026-11-21T00:35:00";

/** What XML forbids, or reads as something else. */
const HOSTILE = [
  "]]>",
  "<![CDATA[ ]]>",
  "<!-- -- -->",
  "&nbsp;&#0;",
  "\u0000\u0008\u000b\u001f\u007f\u0085",
  "\ud800 \udfff",
  "\ufffe\uffff",
  `"'><x y=1>`,
];

describe("a timeline as an SVG file", () => {
  let monitor: Monitor;
  let stored: Timeline;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { alone: "kitchen_sink" });
    stored = await monitor.json<Timeline>(`/invocations/timeline?${WINDOW}`);
  });
  afterAll(() => monitor.close());

  /** The timeline with a text behind every text that is neither an instant nor a word of ours. */
  function spoiled(value: unknown, text: string, key = ""): unknown {
    if (typeof value === "string") return /_id|cls|hostname|code|task|status/.test(key) ? value + text : value;
    if (Array.isArray(value)) return value.map((one) => spoiled(one, text, key));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spoiled(one, text, name)]));
  }

  const svgOf = (appId: string, timeline: Timeline) => timelineFile(appId, timeline, "svg", assets).text;

  it("is well-formed with the stored data", () => {
    expect(xmlFault(svgOf("shop", stored))).toBeNull();
  });

  it.each(HOSTILE)("is well-formed with %j in every id and name", (text) => {
    const svg = svgOf(text, spoiled(stored, text) as Timeline);
    expect(xmlFault(svg)).toBeNull();
    expect(svg.length).toBeGreaterThan(svgOf("shop", stored).length);
  });

  it("is well-formed with any text", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(...HOSTILE)).map((t) => t.join("")),
    );
    fc.assert(
      fc.property(anything, (text) => {
        expect(xmlFault(svgOf(text, spoiled(stored, text) as Timeline))).toBeNull();
      }),
      { numRuns: 10 },
    );
  });
});
