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
}

/** Says what is wrong and what can be done; a 503 page tries again by itself (the answer carries a Refresh header). */
export function ErrorPage({ failure }: ErrorPageProps) {
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
      <p>
        <a href={links.dashboard()}>Go to the dashboard</a>
      </p>
    </>
  );
}
