import { describe, expect, test } from "vitest";
import type { ActionCount, ActionPreview } from "../../../src/api/actions.ts";
import { ActionEffects } from "../../../templates/fragments/actions/action-preview.tsx";
import { DangerLink } from "../../../templates/fragments/ui/danger-link.tsx";
import { ErrorPage } from "../../../templates/pages/error.tsx";
import { dom } from "../render.tsx";

const row = (component: ActionCount["component"], name: string, rows: number, exact = true): ActionCount => ({
  ...{ component, name, rows, exact },
});

function effects(given: Partial<ActionPreview>) {
  const counts = given.counts ?? [];
  const preview: ActionPreview = {
    ...{ app_id: "shop", location: "shop.db", total: counts.reduce((sum, { rows }) => sum + rows, 0) },
    ...{ consequences: [], stays: [], settings: [], refused: null },
    runners_alive: { takes_from: null, count: 0, runners: [] },
    counts,
    ...given,
  };
  return dom(<ActionEffects preview={preview} />);
}

test("a preview of many tables has their sum by component, and the tables themselves are folded", () => {
  const tables = Array.from({ length: 9 }, (_, index) => row("trigger", `table_${index}`, 10));
  const found = effects({ counts: [row("broker", "message_queue", 6), ...tables] });
  expect(found.querySelector("h2")?.text).toBe("96 rows would be deleted");
  const folded = found.querySelector("details#rows-by-table");
  expect(folded?.hasAttribute("open")).toBe(false);
  expect(folded?.querySelector("summary")?.text).toBe("broker 6, trigger 90");
  expect(folded?.querySelectorAll("tbody tr")).toHaveLength(10);
  const few = effects({ counts: [row("broker", "message_queue", 6), row("trigger", "events", 2)] });
  expect([few.querySelector("details#rows-by-table"), few.querySelectorAll("tbody tr").length]).toEqual([null, 2]);
});

test("a preview leaves out tables that lose no row, unless none loses one or the number is estimated", () => {
  const names = (counts: ActionCount[]) =>
    effects({ counts })
      .querySelectorAll("tbody th")
      .map((cell) => cell.text);
  expect(names([row("broker", "a", 0), row("broker", "b", 3), row("broker", "c", 0, false)])).toEqual(["b", "c"]);
  expect(names([row("broker", "a", 0), row("broker", "b", 0)])).toEqual(["a", "b"]);
});

test("what an action keeps is below its consequences in one card, and alone if it has no consequences", () => {
  const both = effects({ consequences: ["Calls are lost."], stays: ["The registration."] });
  expect(both.querySelectorAll("li").map((item) => item.text)).toEqual(["Calls are lost.", "Kept: The registration."]);
  const kept = effects({ stays: ["The registration."] });
  expect(kept.querySelectorAll("h2").map((title) => title.text)).toContain("What is kept");
  expect(kept.querySelector("li")?.text).toBe("The registration.");
});

test("an action that removes data has no link in a read-only monitor", () => {
  const link = (readOnly: boolean) =>
    dom(<DangerLink href="/purge" label="Purge" effect="Deletes everything." readOnly={readOnly} />).querySelector("a");
  expect(link(true)).toBeNull();
  expect([link(false)?.text, link(false)?.getAttribute("title")]).toEqual(["Purge …", "Deletes everything."]);
});

describe("the page of an error", () => {
  const words = (status: number, detail: string, sentFrom: string | null) =>
    dom(<ErrorPage failure={{ title: "Refused", status, detail }} correctable={null} sentFrom={sentFrom} />);

  test("says once whether anything was changed, and leads back to the form", () => {
    const refused = words(403, "The Origin header names another site.", "/broker/purge");
    expect(refused.text).toContain("Nothing was changed.");
    expect(refused.querySelector('a[href="/broker/purge"]')?.text).toBe("Back to the form");
    const said = words(409, "Nothing was registered: it waits already.", "/x").text;
    expect(said.match(/Nothing was/g)).toHaveLength(1);
    const defect = words(500, "Something went wrong.", "/x");
    expect(defect.text).toContain("Whether it was done is not known");
    expect(defect.text).not.toContain("Nothing was");
  });

  test("says of a page that failed that nothing was changed, and of a wrong address nothing of the kind", () => {
    expect(words(500, "Something went wrong.", null).text).toContain("Nothing was changed.");
    expect(words(404, "There is no page /x.", null).text).not.toContain("changed");
  });
});
