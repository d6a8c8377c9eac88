import type { Evidence, Severity, Verdict } from "../../../src/api/verdicts.ts";
import { count, visible, visibleLine } from "../../../src/presentation/text.ts";
import { evidenceWords, thingHref } from "../../../src/presentation/thing-links.ts";
import { furtherEvidence } from "../../../src/presentation/verdict-steps.ts";
import { nothingWrong } from "../../../src/pynenc/nothing-wrong.ts";
import { useLinks } from "../../links.ts";
import type { WithVerdicts } from "../../pages/view.ts";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";

/** Pieces of evidence shown for each verdict; its links lead to all. */
const EVIDENCE_SHOWN = 4;

/** Problems that are not folded. */
const SHOWN = 5;

const MARKS: Readonly<Record<Severity, { word: string; mark: string }>> = {
  error: { word: "Error", mark: "mark mark-bad" },
  warning: { word: "Warning", mark: "mark mark-warn" },
  info: { word: "Note", mark: "mark" },
};

/**
 * What looks wrong, the worst first, in one line each. Renders nothing if there is nothing.
 *
 * @param at address of the page or its thing, which no action has to lead to.
 */
export function Verdicts({
  verdicts,
  at,
  title = "Problems",
  headed = true,
  id = "verdicts",
  open = false,
}: {
  verdicts: readonly Verdict[];
  at?: string | undefined;
  title?: string;
  /** Whether the title is shown, or only read out. */
  headed?: boolean;
  /** Id of the element, unique on the page. */
  id?: string;
  /** Their evidence is shown at once. */
  open?: boolean;
}) {
  const elsewhere = verdicts.map((one) => ({ ...one, next: one.next.filter(({ path }) => path !== at) }));
  const [shown, muted] = [elsewhere.filter((one) => !isQuiet(one)), elsewhere.filter(isQuiet)];
  if (verdicts.length === 0) return null;
  return (
    <section class="card verdicts" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} class={headed ? "verdicts-title" : "visually-hidden"}>
        {title}
      </h2>
      <List verdicts={shown.slice(0, SHOWN)} open={open} />
      <Folded verdicts={shown.slice(SHOWN)} class="verdicts-more" words="more" />
      <Folded verdicts={muted} class="verdicts-muted" words="muted" />
    </section>
  );
}

/** The verdicts that concern the thing of a page, and what could not be examined of what may concern it. @param at as of `Verdicts` */
export function VerdictsHere({
  of: { verdicts = [], not_looked_at = [] },
  at,
}: {
  of: WithVerdicts<object>;
  at?: string;
}) {
  return (
    <>
      <Verdicts verdicts={verdicts} at={at} title="Problems here" headed={false} />
      <NotChecked parts={not_looked_at} />
    </>
  );
}

/** Green only if everything was examined. */
export function NothingWrong({ notLookedAt }: { notLookedAt: readonly string[] }) {
  return <span class={notLookedAt.length === 0 ? "mark mark-good" : "mark"}>{nothingWrong(notLookedAt)}</span>;
}

/** What could not be examined, so that the absence of verdicts says nothing about it. */
export function NotChecked({ parts }: { parts: readonly string[] }) {
  const [first, ...others] = parts.map(visibleLine);
  if (first === undefined) return null;
  if (others.length === 0) return <p class="not-checked">Not checked: {first}.</p>;
  return (
    <details class="not-checked">
      <summary>{`Not checked: ${first}; and ${count(others.length)} more`}</summary>
      <p>{others.join("; ")}.</p>
    </details>
  );
}

function isQuiet({ muted_until }: Verdict): boolean {
  return muted_until !== null;
}

function Folded({ verdicts, words, class: name }: { verdicts: readonly Verdict[]; words: string; class: string }) {
  if (verdicts.length === 0) return null;
  return (
    <details class={name}>
      <summary>{`${count(verdicts.length)} ${words}`}</summary>
      <List verdicts={verdicts} />
    </details>
  );
}

/** Verdicts of an invocation that has ended: `since` is when it did, so it is followed by an age, not by how long it has lasted. */
const ENDED: ReadonlySet<string> = new Set(["failed", "failed_below", "dropped_by_concurrency_control", "ended_well"]);

/** The first action is outside the summary, because a link inside would be a control in a control. */
function List({ verdicts, open = false }: { verdicts: readonly Verdict[]; open?: boolean }) {
  return (
    <ul>
      {verdicts.map((verdict) => {
        const { severity, sentence, since, muted_until, next } = verdict;
        const [first, ...others] = next;
        return (
          // A refresh finds an opened one again by its id, wherever it is then.
          <li key={sentence} id={elementId(verdict)} class={`verdict verdict-${severity}`}>
            <details open={open}>
              <summary>
                <span class={MARKS[severity].mark}>{MARKS[severity].word}</span>
                <strong class="cut" title={visibleLine(sentence)}>
                  {visibleLine(sentence)}
                </strong>
                {since !== null && <Time iso={since} relative={ENDED.has(verdict.code) || "for"} minute />}
              </summary>
              <div class="verdict-body stack">
                {verdict.detail !== "" && <p>{visible(verdict.detail)}</p>}
                {muted_until !== null && (
                  <p class="muted">
                    Muted until <Time iso={muted_until} />
                  </p>
                )}
                <EvidenceList verdict={verdict} />
                {others.length > 0 && (
                  <p class="verdict-links row">
                    {others.map((step) => (
                      <a key={step.label} href={step.path}>
                        {step.label}
                      </a>
                    ))}
                  </p>
                )}
              </div>
            </details>
            {first !== undefined && (
              <a class="verdict-action" href={first.path}>
                {first.label}
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Invocations and runners of a problem change while it lasts, what else it is about does not. */
function elementId({ code, evidence: [first] }: Verdict): string {
  const lasting = first === undefined || first.kind === "invocation" || first.kind === "runner" ? "" : `-${first.id}`;
  return `verdict-${code}${lasting.replace(/[^\w.:-]+/g, "_")}`;
}

function EvidenceList({ verdict }: { verdict: Verdict }) {
  const { evidence } = verdict;
  if (evidence.length === 0) return null;
  const further = furtherEvidence(verdict, EVIDENCE_SHOWN);
  return (
    <ul class="verdict-evidence row">
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
  return (
    <>
      <Id value={id} href={thingHref(links, evidence)} />
      {(kind !== "invocation" || role !== null) && (
        <span class="muted"> {kind === "invocation" ? visibleLine(role ?? "") : evidenceWords(evidence)}</span>
      )}
    </>
  );
}
