import type { ComponentChildren } from "preact";
import type { AutoPurgePreview, OrchestratorAutoPurgePreview } from "../../src/api/actions.ts";
import { visibleLine } from "../../src/presentation/text.ts";
import { ActionEffects } from "../fragments/actions/action-preview.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ConfirmForm } from "../fragments/ui/confirm-form.tsx";
import { FilterForm, SwitchField, TextField } from "../fragments/ui/filter-form.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { Settings } from "../fragments/ui/settings-table.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

export function OrchestratorAutoPurgeContent(view: View<OrchestratorAutoPurgePreview>) {
  const links = useLinks();
  return (
    <AutoPurge
      view={view}
      title="Auto-purge the orchestrator"
      back={{ label: "Orchestrator", href: links.orchestrator() }}
    >
      <SwitchField
        name="with_open_parents"
        label="Also invocations whose parent is not final and may still ask for the result"
        on={view.model.open_parents.taken}
      />
    </AutoPurge>
  );
}

export function EventAutoPurgeContent(view: View<AutoPurgePreview>) {
  const links = useLinks();
  return <AutoPurge view={view} title="Auto-purge events" back={{ label: "Events", href: links.events() }} />;
}

function AutoPurge({
  view: { model, path, query },
  title,
  back,
  children,
}: {
  view: View<AutoPurgePreview>;
  title: string;
  back: { label: string; href: string };
  /** Further fields of the form. */
  children?: ComponentChildren;
}) {
  const links = useLinks();
  return (
    <>
      <PageHeader
        title={title}
        trail={[back]}
        summary={
          <>
            Removes {model.title} of the app <bdi class="mono">{visibleLine(model.app_id)}</bdi> that are too old or too
            many.
          </>
        }
      />
      <ActionEffects preview={model} />
      <Card title="What is removed">
        <ul class="bullets">
          {Object.entries(model.older_than).map(([kind, iso]) => (
            <li key={kind}>{iso === null ? `${kind} of any age are kept` : <OlderThan kind={kind} iso={iso} />}</li>
          ))}
        </ul>
        <details class="raw" open={Object.keys(query).length > 0}>
          <summary>Other values</summary>
          <FilterForm path={path} clearHref={links.current(path)}>
            {model.settings.map(({ field, unit }) => (
              <TextField
                key={field}
                name={field}
                label={field.replaceAll("_", " ")}
                value={query[field]?.at(-1) ?? ""}
                hint={unit ?? (field.endsWith("_enabled") ? "yes or no" : undefined)}
              />
            ))}
            {children}
          </FilterForm>
        </details>
      </Card>
      <Card title="Confirm">
        {model.total === 0 && model.refused === null ? (
          <Notice tone="info">Nothing to remove.</Notice>
        ) : (
          <ConfirmForm
            appId={model.app_id}
            action={links.current(path)}
            label={model.total === 1 ? "Remove it" : "Remove them"}
            fields={query}
            cancelHref={back.href}
            refused={model.refused}
          >
            <p>This cannot be undone. Either everything is removed, or nothing.</p>
          </ConfirmForm>
        )}
      </Card>
      <Settings
        settings={model.settings}
        caption="Settings that decide what is removed"
        open={Object.keys(query).length > 0}
      />
    </>
  );
}

function OlderThan({ kind, iso }: { kind: string; iso: string }) {
  return (
    <>
      {kind} from before <Time iso={iso} />
    </>
  );
}
