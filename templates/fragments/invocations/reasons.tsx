import type { InvocationDetail } from "../../../src/api/invocations.ts";
import type { Verdict } from "../../../src/api/verdicts.ts";
import { visibleLine } from "../../../src/presentation/text.ts";
import { unsaid } from "../../../src/pynenc/sentences.ts";
import { InvocationLink } from "./invocation-link.tsx";

interface ReasonsProps {
  model: Pick<InvocationDetail, "answer"> & { verdicts?: readonly Verdict[] };
}

/** What the answer about an invocation rests on: the failure below it or what it waits for, and sentences. What a verdict beside it says is not repeated. */
export function Reasons({ model: { answer, verdicts = [] } }: ReasonsProps) {
  if (answer === null) return null;
  const { label, invocation } = answer;
  return (
    <>
      {invocation !== null && label !== null && (
        <p>
          {label}: <InvocationLink row={invocation} />
          {invocation.exception !== null && (
            <span class="muted">
              {" "}
              {visibleLine(invocation.exception.type)}
              {invocation.exception.message ? `: ${visibleLine(invocation.exception.message)}` : ""}
            </span>
          )}
        </p>
      )}
      {unsaid(answer.details, verdicts).map((words) => (
        <p key={words}>{visibleLine(words)}</p>
      ))}
    </>
  );
}
