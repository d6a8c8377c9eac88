import type { ComponentChildren } from "preact";
import type { InvocationDetail } from "../../../src/api/invocations.ts";
import type { ShownException } from "../../../src/api/model/values.ts";
import { visible, visibleLine } from "../../../src/presentation/text.ts";
import type { DisplayException } from "../../../src/pynenc/values.ts";
import { Card } from "../ui/card.tsx";
import { Empty } from "../ui/empty.tsx";
import { Info } from "../ui/info.tsx";
import { RawText, ShownValueView } from "./shown-value.tsx";

export type OutcomeModel = Pick<
  InvocationDetail,
  "result" | "result_raw" | "exception" | "exception_raw" | "final" | "status" | "status_source"
>;

/** Whether a result or an exception is stored. */
export function hasOutcome({ result, exception }: Pick<OutcomeModel, "result" | "exception">): boolean {
  return result !== null || exception !== null;
}

/** Result, exception, or why there is neither. Both are shown when both are stored. @param children what is known about the exception besides it */
export function Outcome({ model, children }: { model: OutcomeModel; children?: ComponentChildren }) {
  const { result, exception } = model;
  if (!hasOutcome(model)) {
    return (
      <Card title="Result">
        <Empty title={noOutcome(model)}>{noOutcomeReason(model)}</Empty>
      </Card>
    );
  }
  const titles = [...(exception === null ? [] : ["Exception"]), ...(result === null ? [] : ["Result"])];
  return (
    <Card
      title={titles.join(" and ")}
      actions={
        exception !== null && (
          <Info about="exceptions">pynenc does not store tracebacks; look in the runner's log.</Info>
        )
      }
    >
      {exception !== null && <Failure shown={exception} raw={model.exception_raw} more={children} />}
      {result !== null && <ShownValueView value={result} raw={model.result_raw} />}
    </Card>
  );
}

function noOutcome({ final, status, status_source }: OutcomeModel): string {
  if (status === "failed") return "Failed; pynenc recorded no exception";
  return final || status_source !== "orchestrator" ? "Neither result nor exception is stored" : "No result yet";
}

function noOutcomeReason({ final, status, status_source }: OutcomeModel): string {
  if (status_source === "none") return "Whether it ever ran is not known.";
  if (!final && status_source === "history")
    return `Its history ends with ${visibleLine(status)}, and the orchestrator has no status for it: whether it continued is not known.`;
  if (!final) return `The invocation is ${visibleLine(status)}; a result or an exception is stored when it ends.`;
  if (status === "failed") return "The runner's log may say more.";
  if (status === "success") return "The state backend may have been purged.";
  return `An invocation that ends as ${visibleLine(status)} did not run, so it has neither.`;
}

function Failure({
  shown: { exception, resolved },
  raw,
  more,
}: {
  shown: ShownException;
  raw: string | null;
  more: ComponentChildren;
}) {
  return (
    <div class="stack">
      <p class="failure-name row">
        <bdi class="large">{visibleLine(exception.error_name)}</bdi>
        {exception.pynenc_error && (
          <span class="mark" title="Raised by the framework, not by the task's own code">
            pynenc error
          </span>
        )}
        {exception.type !== null && exception.type !== exception.error_name && (
          <bdi class="mono muted">{visibleLine(exception.type)}</bdi>
        )}
      </p>
      {exception.message !== null && exception.message !== "" && (
        <pre class="failure-message">
          <code>{visible(exception.message)}</code>
        </pre>
      )}
      {more}
      <ExceptionValue exception={exception} resolved={resolved} raw={raw} />
    </div>
  );
}

/** The exception object. Its message is usually enough, so the rest is collapsed. */
function ExceptionValue({
  exception: { value, message },
  resolved,
  raw,
}: {
  exception: DisplayException;
  resolved: ShownException["resolved"];
  raw: string | null;
}) {
  if (value === null) return <RawText text={raw} />;
  const object = <ShownValueView value={resolved ?? { stored: value, resolved: null, dangling: false }} raw={raw} />;
  if (message === null || resolved?.dangling === true) return object;
  return (
    <details class="raw">
      <summary>Exception object</summary>
      {object}
    </details>
  );
}
