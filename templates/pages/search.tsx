import type { FindAnswer, FoundKind, FoundThing } from "../../src/api/find.ts";
import { visible, visibleLine } from "../../src/presentation/text.ts";
import { KIND_WORDS } from "../../src/presentation/thing-links.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { StatusBadge } from "../fragments/invocations/status-badge.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import type { View } from "./view.ts";

export function SearchHeader({ model: { query } }: View<FindAnswer>) {
  return (
    <PageHeader
      title="Search"
      summary={
        query === ""
          ? "Type an id or its beginning, a task, an event code, a workflow type, a host, a status, an exception, a page or an action, or paste a log line."
          : `For “${visibleLine(shortened(query))}”`
      }
    />
  );
}

export function SearchContent({ model: { query, matches, complete, tried, near } }: View<FindAnswer>) {
  if (query === "") return null;
  return (
    <>
      <Notes notes={complete ? [] : ["There may be more: not everything could be searched."]} tone="info" />
      {matches.length > 0 ? (
        <Matches title={counted(matches.length, "result")} found={matches} />
      ) : (
        <Card title="No result">
          <Empty title={complete ? "Nothing in this app matches" : "Nothing was found"}>
            <p>Looked for:</p>
            <ul class="plain">
              {tried.map((one) => (
                <li key={one}>{visible(shortened(one))}</li>
              ))}
            </ul>
          </Empty>
        </Card>
      )}
      {near.length > 0 && (
        <Matches
          title={near.every((one) => one.app_id !== undefined) ? "In other apps of this store" : "Other things to try"}
          found={near}
        />
      )}
    </>
  );
}

function Matches({ title, found }: { title: string; found: readonly FoundThing[] }) {
  return (
    <Card title={title} flush>
      <DataTable
        caption={title}
        columns={[
          { label: "Kind" },
          { label: "Id or name", rowHeader: true },
          { label: "What" },
          { label: "Status" },
          { label: "Time", hint: "When it happened or last changed" },
        ]}
        rows={found.map((one) => ({ key: `${one.kind} ${one.id} ${one.app_id ?? ""}`, cells: cellsOf(one) }))}
        empty={null}
      />
    </Card>
  );
}

/** Kinds that are identified by their label. */
const NAMES: readonly FoundKind[] = [
  "task",
  "queue",
  "event_code",
  "workflow_type",
  "family",
  "page",
  "action",
  "query",
];

function cellsOf(found: FoundThing) {
  const { kind, id, label, status, at, path } = found;
  return [
    KIND_WORDS[kind],
    NAMES.includes(kind) ? (
      <a key="id" href={path}>
        <bdi>{visibleLine(label)}</bdi>
      </a>
    ) : (
      <Id key="id" value={id} href={path} />
    ),
    <span key="what" class="cell-text">
      {visibleLine(whatOf(found))}
    </span>,
    status === null ? "" : <StatusBadge key="status" status={status} />,
    at === null ? "" : <Time key="at" iso={at} />,
  ];
}

function whatOf({ kind, id, label, app_id }: FoundThing): string {
  if (app_id !== undefined) return `in the app ${app_id}`;
  return label === id || NAMES.includes(kind) ? "" : label;
}

/** A pasted line is shown by its beginning. */
function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
