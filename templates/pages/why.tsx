import type { WhyAnswer, WhyLink } from "../../src/api/why.ts";
import { pathTellsMore, whereTimeWent } from "../../src/presentation/critical-path.ts";
import { visible, visibleLine } from "../../src/presentation/text.ts";
import { KIND_WORDS, thingHref } from "../../src/presentation/thing-links.ts";
import { sentenceCase } from "../../src/pynenc/sentences.ts";
import { NothingWrong, Verdicts } from "../fragments/health/verdicts.tsx";
import { PathFigure } from "../fragments/invocations/path-figure.tsx";
import { PhaseBar } from "../fragments/invocations/phase-bar.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** The verdict first, then what it follows from. */
export function WhyContent({ model }: View<WhyAnswer>) {
  const { subject, verdict, others, chain, phases, critical_path: path } = model;
  return (
    <>
      <PageHeader
        title="Why"
        trail={subject.kind === "app" ? [] : [{ label: visibleLine(subject.label), href: subject.path }]}
        summary={
          subject.kind === "app" ? (
            <>
              App <a href={subject.path}>{visibleLine(subject.id)}</a>
            </>
          ) : (
            <>
              {visibleLine(subject.label)} <Id value={subject.id} href={subject.path} full />
            </>
          )
        }
      >
        {verdict === null && <NothingWrong notLookedAt={model.not_looked_at} />}
      </PageHeader>
      {verdict !== null && <Verdicts verdicts={[verdict]} at={subject.path} title="Result" open />}
      {others.length > 0 && <Verdicts verdicts={others} at={subject.path} title="Also" id="others" />}
      {chain.length > 0 && (
        <Card title="Cause">
          <ol class="bullets stack">
            {chain.map((link, at) => (
              <li key={at}>
                <Step link={link} />
              </li>
            ))}
          </ol>
        </Card>
      )}
      {phases !== null && phases.length > 0 && (
        <Card title={whereTimeWent(phases.some(({ ongoing }) => ongoing))}>
          <PhaseBar phases={phases} />
          {path !== null && pathTellsMore(path) && <PathFigure path={path} />}
        </Card>
      )}
      <Looked model={model} />
    </>
  );
}

function Step({ link: { sentence, at, kind, id } }: { link: WhyLink }) {
  const links = useLinks();
  return (
    <>
      {at !== null && (
        <>
          <Time iso={at} />{" "}
        </>
      )}
      {visible(sentence)}
      {kind !== null && id !== null && (
        <>
          {" "}
          <span class="muted">{KIND_WORDS[kind]}</span> <Id value={id} href={thingHref(links, { kind, id })} />
        </>
      )}
    </>
  );
}

function Looked({ model: { looked_at, not_looked_at } }: { model: WhyAnswer }) {
  return (
    <Card title="Checked">
      <ul class="plain">
        {looked_at.map((words) => (
          <li key={words}>{sentenceCase(words)}</li>
        ))}
        {not_looked_at.map((words) => (
          <li key={words} class="muted">
            Not {words}
          </li>
        ))}
      </ul>
    </Card>
  );
}
