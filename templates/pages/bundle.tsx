import type { InvocationRow } from "../../src/api/model/invocation-rows.ts";
import type { WhyAnswer } from "../../src/api/why.ts";
import { count, instant, visible, visibleLine } from "../../src/presentation/text.ts";
import type { BundledLog } from "../../src/services/exports/bundle-logs.ts";
import { InvocationTable } from "../fragments/facts/invocation-table.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { InvocationContent, type InvocationPage } from "./invocation.tsx";
import type { View } from "./view.ts";
import { WhyContent } from "./why.tsx";

export interface BundlePart {
  why: WhyAnswer;
  detail: InvocationPage;
}

export interface BundleHead {
  /** The request: an id, or a search. */
  about: string;
  app_id: string;
  /** When the bundle was made, in ISO 8601. */
  made_at: string;
  /** Version of pynenc-monitor. */
  version: string;
  /** Sentences about what is not in the file. */
  left_out: readonly string[];
  /** What matched a search; empty if one thing was requested. */
  rows: readonly InvocationRow[];
}

/** The beginning of a bundle: what it is, what it leaves out, and what is in it. */
export function BundleHeader({ head }: { head: BundleHead }) {
  const { about, app_id, made_at, version, left_out, rows } = head;
  return (
    <>
      <div class="stack">
        <div class="page-title row">
          <h1>{visibleLine(about)}</h1>
        </div>
        <p class="page-summary muted">
          App {visibleLine(app_id)}, as of {instant(made_at).slice(0, 19)} UTC. Times are in UTC. Made by pynenc-monitor{" "}
          {version}.
        </p>
      </div>
      <Notes notes={left_out} tone="info" />
      {rows.length > 0 && (
        <Card title={`Invocations (${count(rows.length)})`} flush>
          <InvocationTable invocations={rows} caption="What matched the search" empty={null} />
        </Card>
      )}
    </>
  );
}

/** One invocation: why it is as it is, then everything about it. */
export function BundlePartContent({ part, view }: { part: BundlePart; view: Omit<View<unknown>, "model"> }) {
  return (
    <section class="bundle-part" id={part.detail.invocation_id}>
      <WhyContent model={part.why} {...view} />
      <InvocationContent model={part.detail} {...view} />
    </section>
  );
}

/** Lines of a log that are about what is in the bundle. */
export function BundleLog({ log: { file, entries, found } }: { log: BundledLog }) {
  return (
    <Card title={`Log ${visibleLine(file)}`}>
      {entries.length === 0 ? (
        <p class="muted">No line names one of these invocations.</p>
      ) : (
        <pre class="bundle-log">{entries.map(({ line, text }) => `${line}: ${visible(text)}`).join("\n")}</pre>
      )}
      {found > entries.length && (
        <p class="muted">
          The first {count(entries.length)} of {count(found)} entries.
        </p>
      )}
    </Card>
  );
}
