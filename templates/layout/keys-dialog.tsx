import type { NavKey } from "../../src/presentation/nav-entries.ts";

/** List of keyboard shortcuts; `client/keys.ts` opens it, and adds the letters of the pages. */
export function KeysDialog({ nav }: { nav: NavKey | null }) {
  return (
    <dialog id="keys-dialog" class="dialog" aria-labelledby="keys-title">
      <form method="dialog">
        <h2 id="keys-title">Keys</h2>
        <div class="keys-groups">
          <dl class="facts keys" id="keys-of-pages">
            <Key keys={["/"]} does="Find an id, a name or a page" />
            <Key keys={["Ctrl", "K"]} does="The same, from any field" />
            <Key keys={["r"]} does="Refresh the page now" />
            <Key keys={["p"]} does="Pause live refresh, or resume it" />
            <Key keys={["?"]} does="Show these keys" />
          </dl>
          {nav === "timeline" && <TimelineKeys />}
        </div>
        <button class="button" type="submit">
          Close
        </button>
      </form>
    </dialog>
  );
}

/** client/timeline/keys.ts, roving.ts and gestures.ts */
function TimelineKeys() {
  return (
    <dl class="facts keys">
      <Key keys={["←", "→"]} does="Earlier, later; also A and D" />
      <Key keys={["+", "−"]} does="Zoom in, zoom out; also W and S" />
      <Key keys={["f"]} does="Fit what is selected, or all that is drawn" />
      <Key keys={["n", "N"]} does="Next, previous failure" />
      <Key keys={["0"]} does="Show everything" />
      <Key keys={["Tab"]} does="Enter or leave the plot" />
      <Key keys={["←", "→", "↑", "↓"]} does="In the plot: from mark to mark" />
      <Key keys={["Home", "End"]} does="In the plot: first and last of the lane" />
      <Key keys={["Enter"]} does="In the plot: show details of the mark" />
      <Key keys={["Esc"]} does="Close the panel, cancel a drag" />
      <Key keys={["Drag"]} does="Zoom to the selected range; on the axis: move" />
      <Key keys={["Shift", "Drag"]} does="Move; also with the middle button" />
      <Key keys={["Ctrl", "Wheel"]} does="Zoom around the pointer" />
      <Key keys={["Shift", "Wheel"]} does="Move" />
    </dl>
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
