import type { MutePreview, UnmutePreview } from "../../src/api/verdicts.ts";
import { visible, visibleLine } from "../../src/presentation/text.ts";
import { verdictTitle } from "../../src/presentation/verdict-titles.ts";
import { Card } from "../fragments/ui/card.tsx";
import { ConfirmForm } from "../fragments/ui/confirm-form.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

const LENGTHS = [
  { value: "1h", label: "1 hour" },
  { value: "8h", label: "8 hours" },
  { value: "1d", label: "1 day" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
] as const;

const BY_DEFAULT = "8h";

/** Asks for how long, and whether for what the verdict is about now or for whatever it will be about. */
export function MuteContent({ model, path, query }: View<MutePreview>) {
  const links = useLinks();
  const chosen = query.for?.at(-1) ?? BY_DEFAULT;
  const lengths = LENGTHS.some(({ value }) => value === chosen)
    ? LENGTHS
    : [{ value: chosen, label: chosen }, ...LENGTHS];
  const ids = model.ids.length > 0 ? model.ids : model.named_now;
  return (
    <>
      <PageHeader
        title="Mute a problem"
        trail={[{ label: "Overview", href: links.dashboard() }]}
        summary={
          <>
            “<Kind code={model.code} />” of the app <bdi class="mono">{visibleLine(model.app_id)}</bdi> is not shown to
            you for a while. Nothing in the store changes.
          </>
        }
      />
      {model.ids.length + model.quiet.length > 0 && (
        <Card title="About">
          <ul class="plain">
            {model.quiet.map((sentence) => (
              <li key={sentence}>{visible(sentence)}</li>
            ))}
            {model.ids.map((id) => (
              <li key={id}>
                <Id value={id} full />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {model.quiet.length === 0 && <Notice tone="info">This would mute none of the current problems.</Notice>}
      <Card title="Confirm">
        <ConfirmForm
          appId={model.app_id}
          action={links.current(path)}
          label="Mute"
          fields={{ code: [model.code], ids }}
          cancelHref={links.dashboard()}
          refused={model.refused}
        >
          <div class="field">
            <label for="mute-for">For</label>
            <select id="mute-for" name="for">
              {lengths.map(({ value, label }) => (
                <option key={value} value={value} selected={value === chosen}>
                  {label}
                </option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for="mute-everything">About</label>
            <select id="mute-everything" name="everything">
              {ids.length > 0 && (
                <option value="0">
                  {model.ids.length > 0 ? "what is listed above" : "what it is about now; anything new is still shown"}
                </option>
              )}
              <option value="1">everything, also what comes later</option>
            </select>
          </div>
        </ConfirmForm>
      </Card>
    </>
  );
}

/** A kind of problem; its code is for commands. */
function Kind({ code }: { code: string }) {
  return <span title={visibleLine(code)}>{visibleLine(verdictTitle(code))}</span>;
}

/** Asks before verdicts are shown again. */
export function UnmuteContent({ model, path, query }: View<UnmutePreview>) {
  const links = useLinks();
  return (
    <>
      <PageHeader
        title="Unmute a problem"
        trail={[{ label: "Overview", href: links.dashboard() }]}
        summary="It is shown again if it still applies."
      />
      {model.mutes.length === 0 && <Notice tone="info">Nothing is muted by this.</Notice>}
      <Card title="Confirm">
        <ul class="plain">
          {model.mutes.map(({ code, id, until }) => (
            <li key={`${code} ${id}`}>
              <Kind code={code} /> {id === null ? "about everything" : <Id value={id} full />}{" "}
              <span class="muted">
                until <Time iso={until} />
              </span>
            </li>
          ))}
        </ul>
        <ConfirmForm
          appId={model.app_id}
          action={links.current(path)}
          label="Unmute"
          fields={query}
          cancelHref={links.dashboard()}
          refused={model.refused}
        />
      </Card>
    </>
  );
}
