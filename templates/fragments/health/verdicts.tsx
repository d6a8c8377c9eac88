import type { Evidence, Severity, Verdict } from "../../../src/api/verdicts.ts";
import { count, visible, visibleLine } from "../../../src/presentation/text.ts";
import { KIND_WORDS, thingHref } from "../../../src/presentation/thing-links.ts";
import { furtherEvidence } from "../../../src/presentation/verdict-steps.ts";
import { useLinks } from "../../links.ts";
import type { WithVerdicts } from "../../pages/view.ts";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";

/** Pieces of evidence shown for each verdict; its links lead to all. */
const EVIDENCE_SHOWN = 4;

const MARKS: Readonly<Record<Severity, { word: string; mark: string }>> = {
  error: { word: "Error", mark: "mark mark-bad" },
  warning: { word: "Warning", mark: "mark mark-warn" },
  info: { word: "Note", mark: "mark" },
};

/** What looks wrong, the worst first. Renders nothing if there is nothing. */
export function Verdicts({
  verdicts,
  title = "Current problems",
  id = "verdicts",
}: {
  verdicts: readonly Verdict[];
  title?: string;
  /** Id of the element, unique on the page. */
  id?: string;
}) {
  const [shown, muted] = [verdicts.filter((one) => !isQuiet(one)), verdicts.filter(isQuiet)];
  if (shown.length === 0) return muted.length === 0 ? null : <Muted verdicts={muted} />;
  return (
    <section class="card verdicts" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} class="verdicts-title">
        {title}
      </h2>
      <List verdicts={shown} />
      {muted.length > 0 && <Muted verdicts={muted} />}
    </section>
  );
}

/** The verdicts that concern the thing of a page, and what could not be examined of what may concern it. */
export function VerdictsHere({ of: { verdicts = [], not_looked_at = [] } }: { of: WithVerdicts<object> }) {
  return (
    <>
      <Verdicts verdicts={verdicts} title="Problems here" />
      <NotChecked parts={not_looked_at} />
    </>
  );
}

/** Green only if everything was examined. */
export function NothingWrong({ notLookedAt }: { notLookedAt: readonly string[] }) {
  if (notLookedAt.length === 0) return <span class="mark mark-good">nothing looks wrong</span>;
  return <span class="mark">nothing looks wrong in what was checked</span>;
}

/** What could not be examined, so that the absence of verdicts says nothing about it. */
export function NotChecked({ parts }: { parts: readonly string[] }) {
  return parts.length === 0 ? null : <p class="muted">Not checked: {parts.map(visibleLine).join("; ")}.</p>;
}

function isQuiet({ muted_until }: Verdict): boolean {
  return muted_until !== null;
}

/** Collapsed, because they are known. */
function Muted({ verdicts }: { verdicts: readonly Verdict[] }) {
  return (
    <details class="verdicts-muted">
      <summary>{verdicts.length === 1 ? "1 muted verdict" : `${count(verdicts.length)} muted verdicts`}</summary>
      <List verdicts={verdicts} />
    </details>
  );
}

function List({ verdicts }: { verdicts: readonly Verdict[] }) {
  return (
    <ul>
      {verdicts.map((verdict) => (
        <li key={verdict.sentence} class={`verdict verdict-${verdict.severity}`}>
          <p class="verdict-sentence">
            <span class={MARKS[verdict.severity].mark}>{MARKS[verdict.severity].word}</span>
            <strong>{visibleLine(verdict.sentence)}</strong>
            {verdict.since !== null && (
              <span class="muted">
                since <Time iso={verdict.since} />
              </span>
            )}
            {verdict.muted_until !== null && (
              <span class="muted">
                muted until <Time iso={verdict.muted_until} />
              </span>
            )}
          </p>
          {verdict.detail !== "" && <p class="verdict-detail">{visible(verdict.detail)}</p>}
          <EvidenceList verdict={verdict} />
          <p class="verdict-links">
            {verdict.next.map((step) => (
              <a key={step.label} href={step.path}>
                {step.label}
              </a>
            ))}
          </p>
        </li>
      ))}
    </ul>
  );
}

function EvidenceList({ verdict }: { verdict: Verdict }) {
  const { evidence } = verdict;
  if (evidence.length === 0) return null;
  const further = furtherEvidence(verdict, EVIDENCE_SHOWN);
  return (
    <ul class="verdict-evidence">
      {evidence.slice(0, EVIDENCE_SHOWN).map((one) => (
        <li key={`${one.kind} ${one.id}`}>
          <OneOf evidence={one} />
        </li>
      ))}
      {further !== null && <li class="muted">{further}</li>}
    </ul>
  );
}

function OneOf({ evidence }: { evidence: Evidence }) {
  const links = useLinks();
  const { kind, id, role } = evidence;
  const word = kind === "invocation" ? null : KIND_WORDS[kind];
  const words = [word, role].filter((one) => one !== null).join(", ");
  return (
    <>
      <Id value={id} href={thingHref(links, evidence)} />
      {words !== "" && <span class="muted"> {visibleLine(words)}</span>}
    </>
  );
}
