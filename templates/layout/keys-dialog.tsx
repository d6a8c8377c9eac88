import { NAV_ENTRIES } from "./nav-entries.ts";

/** Sheet of the keys; `client/keys.ts` opens it. */
export function KeysDialog() {
  return (
    <dialog id="keys-dialog" class="dialog" aria-labelledby="keys-title">
      <form method="dialog">
        <h2 id="keys-title">Keys</h2>
        <dl class="keys">
          <Key keys={["/"]} does="Filter, or go to an id" />
          <Key keys={["r"]} does="Renew the page now" />
          <Key keys={["?"]} does="Show these keys" />
          {NAV_ENTRIES.map((entry) => (
            <Key key={entry.key} keys={["g", entry.letter]} does={entry.label} />
          ))}
        </dl>
        <button class="button" type="submit">
          Close
        </button>
      </form>
    </dialog>
  );
}

function Key({ keys, does }: { keys: readonly string[]; does: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}
