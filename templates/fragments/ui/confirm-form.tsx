import type { ComponentChildren } from "preact";
import { visibleLine } from "../../../src/presentation/text.ts";
import { CopyButton } from "./copy-button.tsx";
import { HiddenField } from "./filter-form.tsx";
import { Notice } from "./notice.tsx";

export interface ConfirmFormProps {
  appId: string;
  /** From `links`: with the pinned app. */
  action: string;
  /** On the button. */
  label: string;
  /** Sent along: what the preview was made with. */
  fields?: Readonly<Record<string, readonly string[] | undefined>> | undefined;
  /** The id of the app must be typed. */
  typed?: boolean | undefined;
  /** Where Cancel leads. */
  cancelHref: string;
  /** Why the action would be refused; then there is no form. */
  refused: string | null;
  /** Replaces the sentence about typing. */
  children?: ComponentChildren;
}

/**
 * Asks before an action. The form names the app, so that it cannot hit another one that was made active meanwhile; where data is lost
 * for good the name has to be typed.
 */
export function ConfirmForm(props: ConfirmFormProps) {
  const { appId, action, label, fields = {}, typed = false, cancelHref, refused, children } = props;
  if (refused !== null) return <Notice tone="warn">{visibleLine(refused)}</Notice>;
  return (
    <form class="confirm-form" action={action} method="post">
      {Object.entries(fields).flatMap(([name, values = []]) =>
        values.map((value) => <HiddenField key={`${name} ${value}`} name={name} value={value} />),
      )}
      {children}
      {typed ? (
        <div class="field">
          <label for="confirm-app">
            Type the app's id to confirm: <bdi class="mono">{visibleLine(appId)}</bdi>{" "}
            <CopyButton text={appId} what="app id" />
          </label>
          <input
            id="confirm-app"
            class="mono"
            type="text"
            name="app_id"
            required
            pattern={literalPattern(appId)}
            title={`Exactly: ${visibleLine(appId)}`}
            autocomplete="off"
            spellcheck={false}
          />
        </div>
      ) : (
        <input type="hidden" name="app_id" value={appId} />
      )}
      <div class="actions">
        <button class={typed ? "button danger" : "button primary"} type="submit">
          {label}
        </button>
        <a class="button quiet" href={cancelHref}>
          Cancel
        </a>
      </div>
    </form>
  );
}

/** A pattern that only this text meets; browsers read patterns with the `v` flag. */
function literalPattern(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, "\\$&");
}
