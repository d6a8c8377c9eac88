import type { Past } from "../../layout/page-context.ts";
import { Time } from "./time.tsx";

/** Above every page while an instant of the past is looked at. Ages on pages of then count from `data-at` (client/times.ts). */
export function AsOf({ past: { at, ago, back, steps, present } }: { past: Past }) {
  return (
    <div class="as-of notice notice-warn row" role="note" data-at={present === null ? at : undefined}>
      <p>
        <strong>
          As of <Time iso={at} />
        </strong>{" "}
        ({ago} ago). {present ?? "From the history; what came later is not shown."}
      </p>
      <nav class="row actions" aria-label="Instant of the past">
        {steps.map(({ name, sign, href }) => (
          <a key={name} class="button" href={href} title={name}>
            {sign}
          </a>
        ))}
        <a class="button primary" href={back}>
          Back to now
        </a>
      </nav>
    </div>
  );
}
