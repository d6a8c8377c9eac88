import { useLinks } from "../links.ts";
import { KeptParameters } from "./kept-parameters.tsx";

/** The search with matches while typing; `client/palette.ts` opens and fills it. Same form as in the header: Enter without a selection submits it. */
export function Palette() {
  const links = useLinks();
  return (
    <dialog id="palette" class="dialog palette" aria-label="Search everything">
      <form action={links.formAction("/search")} method="get">
        <KeptParameters />
        <input
          type="text"
          name="q"
          id="palette-text"
          role="combobox"
          aria-label="Id, name or log line to find"
          aria-autocomplete="list"
          aria-expanded="false"
          aria-controls="palette-matches"
          placeholder="Id, name, exception, argument, page, action or log line"
          autocomplete="off"
          spellcheck={false}
          required
        />
      </form>
      <div id="palette-matches" class="palette-matches" role="listbox" aria-label="Matches" hidden />
      <p id="palette-note" class="palette-note" role="status" />
    </dialog>
  );
}
