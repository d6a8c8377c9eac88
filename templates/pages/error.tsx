import { visible, visibleLine } from "../../src/presentation/text.ts";
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
  };
  /** The address without the parameters that were not accepted; null where there is none. */
  correctable: string | null;
}

/** Says what is wrong and what can be done; a 503 page tries again by itself (the answer carries a Refresh header). */
export function ErrorPage({ failure, correctable }: ErrorPageProps) {
  const links = useLinks();
  const { title, status, detail, hint, errors = [] } = failure;
  return (
    <>
      <PageHeader title={title} summary={`Status ${status}`} />
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
        {status === 503 && <p>This page retries every three seconds.</p>}
      </Notice>
      {correctable !== null && (
        <p>
          <a href={correctable}>Show the page without {errors.length === 1 ? "it" : "them"}</a>
        </p>
      )}
      <p>
        <a href={links.dashboard()}>Go to the first page</a>
      </p>
    </>
  );
}
