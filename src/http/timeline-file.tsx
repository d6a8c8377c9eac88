/** A timeline as a file, for downloads and for the command. */

import { statusStylesheet } from "../../templates/assets/status-css.ts";
import { renderForFile } from "../../templates/layout/render.tsx";
import { TimelineFile } from "../../templates/svg/timeline-file.tsx";
import type { Timeline } from "../api/timeline.ts";
import { versioned } from "../api/version.ts";
import type { TIMELINE_FORMATS } from "../api/words.ts";
import { createLinks } from "../presentation/links.ts";
import { instant, visibleLine } from "../presentation/text.ts";
import { geometryOf } from "../services/timeline/timeline.ts";
import { traceFile } from "../timeline/trace-events.ts";
import type { Assets } from "./assets.ts";

export type TimelineFormat = (typeof TIMELINE_FORMATS)[number];

export interface FileText {
  text: string;
  type: string;
  /** `timeline.svg`. */
  name: string;
}

export function timelineFile(app_id: string, timeline: Timeline, format: TimelineFormat, assets: Assets): FileText {
  switch (format) {
    case "svg":
      return { text: svgText(app_id, timeline, assets), type: "image/svg+xml", name: "timeline.svg" };
    case "trace":
      return { text: jsonText(traceFile(geometryOf(timeline))), type: "application/json", name: "timeline.trace.json" };
    case "json":
      return { text: jsonText(versioned(timeline)), type: "application/json", name: "timeline.json" };
  }
}

function svgText(app_id: string, timeline: Timeline, assets: Assets): string {
  const styles = [Buffer.from(assets.get("timeline.css")?.body ?? []).toString("utf8"), statusStylesheet(true)];
  const title = `${visibleLine(app_id)}, ${instant(timeline.start)} to ${instant(timeline.end)} UTC`;
  const file = <TimelineFile geometry={geometryOf(timeline)} title={title} styles={styles.join("\n")} />;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${wellFormed(renderForFile(createLinks(null), file))}\n`;
}

/** XML is stricter than HTML: no control characters, and no `]]>`, which ends a CDATA section. */
function wellFormed(html: string): string {
  return (
    html
      .replaceAll("]]>", "]]&gt;")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd")
  );
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
