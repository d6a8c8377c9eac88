import type { ComponentChildren } from "preact";
import { visibleLine } from "../../../src/presentation/text.ts";
import { CopyButton } from "./copy-button.tsx";
import { HiddenField } from "./filter-form.tsx";
import { Notice } from "./notice.tsx";

export interface ConfirmFormProps {
  appId: string;
  /** Built by `links`, with the pinned app. */
  action: string;
  /** Label of the button. */
  label: string;
  /** The parameters of the preview, sent along. */
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
 * Asks for confirmation of an action. The form names the app, so that it cannot affect another one that became active meanwhile; if data is lost
 * permanently, the id of the app has to be typed.
 */
export function ConfirmForm(props: ConfirmFormProps) {
  const { appId, action, label, fields = {}, typed = false, cancelHref, refused, children } = props;
  if (refused !== null) return <Notice tone="warn">{visibleLine(refused)}</Notice>;
  return (
    <form class="confirm-form stack" action={action} method="post">
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

/** A pattern that matches exactly this text; browsers compile patterns with the `v` flag. */
function literalPattern(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, "\\$&");
}
