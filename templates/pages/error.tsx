import { visible, visibleLine } from "../../src/presentation/text.ts";
import { FilterForm, HiddenField, TextField } from "../fragments/ui/filter-form.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";

export interface ErrorPageProps {
  failure: {
    title: string;
    status: number;
    detail: string;
    hint?: string;
    errors?: readonly { parameter: string; value: string; accepted: string }[];
    elsewhere?: readonly { app_id: string; path: string }[];
  };
  /** Null if nothing in the address can be corrected. */
  correctable: Correctable | null;
  /** The page whose form was sent; null if nothing was to be changed. */
  sentFrom?: string | null;
}

/** An address with parameters that were not accepted, by name and value. */
export interface Correctable {
  path: string;
  wrong: readonly (readonly [name: string, value: string])[];
  /** Names that the address does not have. */
  unknown: readonly string[];
  kept: readonly (readonly [name: string, value: string])[];
}

/** The parameters that were not accepted, to be written again. */
function CorrectForm({ correctable: { path, wrong, unknown, kept } }: { correctable: Correctable }) {
  const links = useLinks();
  const { timeRange } = links;
  const query: Record<string, string[]> = {};
  for (const [name, value] of kept) query[name] = [...(query[name] ?? []), value];
  const names = [...new Set([...wrong.map(([name]) => name), ...unknown])];
  const without = (
    <p>
      <a href={links.current(path, query)}>{`Open the page without ${names.map(visibleLine).join(", ")}`}</a>
    </p>
  );
  if (wrong.length === 0) return without;
  const form = (
    <FilterForm path={path}>
      {wrong.map(([name, value], at) => (
        <TextField
          key={`${name} ${at}`}
          name={name}
          label={visibleLine(name)}
          value={value}
          code
          wide={name === "q"}
          completions={name === "q" ? links.queryCompletion() : undefined}
        />
      ))}
      {kept
        // The form carries the time range by itself.
        .filter(([name]) => !Object.hasOwn(timeRange, name))
        .map(([name, value], at) => (
          <HiddenField key={`${name} ${at}`} name={name} value={value} />
        ))}
    </FilterForm>
  );
  return (
    <>
      {form}
      {without}
    </>
  );
}

/** Says what is wrong and what can be done; a 503 page tries again by itself (the answer carries a Refresh header). */
export function ErrorPage({ failure, correctable, sentFrom = null }: ErrorPageProps) {
  const links = useLinks();
  const { title, status, detail, hint, errors = [], elsewhere = [] } = failure;
  return (
    <>
      <PageHeader title={title}>
        <span class="muted">{status}</span>
      </PageHeader>
      <Notice tone={status >= 500 ? "error" : "warn"}>
        {errors.length === 0 ? (
          <p>{visible(detail)}</p>
        ) : (
          <ul>
            {errors.map((error) => (
              <li key={error.parameter}>
                <code>{visibleLine(error.parameter)}</code> = <code>{visibleLine(error.value)}</code> is not accepted:{" "}
                {visible(error.accepted)}
              </li>
            ))}
          </ul>
        )}
        {hint !== undefined && <p>{visible(hint)}</p>}
        {elsewhere.map(({ app_id, path }) => (
          <p key={app_id}>
            <a href={path}>
              Open it in <bdi>{visibleLine(app_id)}</bdi>
            </a>
          </p>
        ))}
        <Unchanged failure={failure} sent={sentFrom !== null} />
        {status === 503 && <p>This page retries every three seconds.</p>}
      </Notice>
      {correctable !== null && <CorrectForm correctable={correctable} />}
      <p class="row">
        {sentFrom !== null && <a href={sentFrom}>Back to the form</a>}
        <a href={links.dashboard()}>Go to the overview</a>
      </p>
    </>
  );
}

/** Whether something was changed, unless the message says so. Only a defect may come after a change. */
function Unchanged({ failure: { status, detail }, sent }: Pick<ErrorPageProps, "failure"> & { sent: boolean }) {
  const links = useLinks();
  if (!sent)
    return status === 500 ? <p>Nothing was changed. Load the page again; report it if it fails again.</p> : null;
  if (status < 500) return detail.startsWith("Nothing was") ? null : <p>Nothing was changed.</p>;
  if (status !== 500) return null;
  return (
    <p>
      Whether it was done is not known: the <a href={links.audit()}>audit</a> lists what was.
    </p>
  );
}
