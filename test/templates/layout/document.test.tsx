import { parse } from "node-html-parser";
import { describe, expect, test } from "vitest";
import { createLinks } from "../../../src/presentation/links.ts";
import { NAV_ENTRIES } from "../../../src/presentation/nav-entries.ts";
import { Card } from "../../../templates/fragments/ui/card.tsx";
import { DataTable } from "../../../templates/fragments/ui/data-table.tsx";
import { Id } from "../../../templates/fragments/ui/id.tsx";
import { Document } from "../../../templates/layout/document.tsx";
import type { PageContext } from "../../../templates/layout/page-context.ts";
import { PageHeader } from "../../../templates/layout/page-header.tsx";
import { renderPage } from "../../../templates/layout/render.tsx";
import { HOSTILE, html, pageContext } from "../render.tsx";

function page(changes: Partial<PageContext> = {}) {
  const markup = html(
    <Document page={pageContext(changes)}>
      <PageHeader title="Broker" />
    </Document>,
  );
  return { markup, root: parse(markup) };
}

test("a page is rendered card by card and table by ten rows, in a turn each, and is the same as one rendered at once", async () => {
  const rows = Array.from({ length: 25 }, (_, n) => ({
    key: `row ${n}`,
    cells: [<Id key="id" href="/x" value={`${HOSTILE} ${n}`} />],
  }));
  const table = (some: typeof rows) => <DataTable columns={[{ label: "Id" }]} rows={some} caption="Ids" empty="none" />;
  const body = (
    <>
      <PageHeader title="Broker" />
      <Card title="Long">
        Before {table(rows)} after {table(rows.slice(0, 3))}
      </Card>
      <Card title="Short">part-n0nc</Card>
    </>
  );
  let turns = 0;
  const markup = await renderPage(pageContext(), body, async () => turns++);
  // The page, three and one pieces of tables, two cards.
  expect(turns).toBe(7);
  expect(markup).toBe(`<!doctype html>\n${html(<Document page={pageContext()}>{body}</Document>)}`);
});

test("a page is a whole document with its own title and one h1", () => {
  const { root } = page();
  expect(root.querySelector("title")?.text).toBe("Broker · kitchen_sink · pynenc monitor");
  expect(root.querySelectorAll("h1")).toHaveLength(1);
  expect(root.querySelector("html")?.getAttribute("lang")).toBe("en");
});

test("a page has no inline script or style: each is a file of the monitor with the nonce", () => {
  const { markup, root } = page({ notice: "Done" });
  for (const element of root.querySelectorAll("script, link[rel=stylesheet]")) {
    expect(element.getAttribute("nonce")).toBe("n0nce");
    expect(element.getAttribute("src") ?? element.getAttribute("href")).toMatch(/^\/assets\//);
    expect(element.text).toBe("");
  }
  expect(markup).not.toMatch(/\sstyle=|\son\w+=|<style/);
});

describe("the navigation", () => {
  test.each(NAV_ENTRIES.map((entry) => entry.key))("marks only %s on its page", (nav) => {
    const current = page({ nav }).root.querySelectorAll("nav [aria-current=page]");
    expect(current.map((link) => link.text)).toEqual(NAV_ENTRIES.filter((e) => e.key === nav).map((e) => e.label));
  });

  test("marks nothing on a page outside of it", () => {
    expect(page({ nav: null }).root.querySelectorAll("[aria-current=page]")).toHaveLength(0);
  });

  test("has no link to statistics or failures when statistics are switched off", () => {
    const leading = (figures: boolean) =>
      page({ figures })
        .root.querySelectorAll("nav a")
        .filter((node) => ["Statistics", "Failures"].includes(node.text)).length;
    expect([leading(true), leading(false)]).toEqual([2, 0]);
  });

  test("shows the pages about the parts of a store only when one of them is open", () => {
    const isOpen = (nav: PageContext["nav"]) => page({ nav }).root.querySelector(".nav-folded")?.hasAttribute("open");
    expect([isOpen("tasks"), isOpen("audit")]).toEqual([false, true]);
  });

  test("shows the number of problems beside the first page and on the bell, if the page knows it", () => {
    const counts = (number: number | null, error = false) =>
      page({ problems: number === null ? null : { number, error } })
        .root.querySelectorAll(`.problem-count${error ? ".mark-bad" : ":not(.mark-bad)"}`)
        .map((count) => count.text);
    expect([counts(3), counts(2, true), counts(0), counts(null)]).toEqual([
      ["3", "3"],
      ["2", "2"],
      ["", ""],
      ["", ""],
    ]);
  });

  test("has another letter for each page", () => {
    expect(new Set(NAV_ENTRIES.map((entry) => entry.letter)).size).toBe(NAV_ENTRIES.length);
  });
});

describe("the switch between apps", () => {
  test("has plain links, with marks for the shown app and for an empty one", () => {
    const { root } = page();
    const entries = root.querySelectorAll(".app-switcher li a");
    expect(entries.map((entry) => entry.getAttribute("href"))).toEqual([
      "/broker/",
      "/broker/?app=kitchen-sink.two%2F%CE%B2",
    ]);
    expect(entries.map((entry) => entry.getAttribute("aria-current"))).toEqual(["true", undefined]);
    expect(entries[1]?.text).toContain("no invocations");
    expect(root.querySelector(".app-switcher > .menu-panel > a[href='/apps/']")?.text).toBe("All 2 apps");
  });

  test("lists at most 20 apps, and has the only text with the path of the store", () => {
    const apps = Array.from({ length: 30 }, (_, n) => ({ app_id: `app ${n}`, phantom: false }));
    const { root } = page({ apps });
    expect(root.querySelectorAll(".app-switcher li")).toHaveLength(20);
    expect(root.querySelector("body")?.text.split("/srv/data/pynenc.db")).toHaveLength(2);
    expect(root.querySelector(".app-switcher")?.text).toContain("/srv/data/pynenc.db");
  });

  test("marks a pinned app, which the search form keeps", () => {
    const { root } = page({ links: createLinks("kitchen_sink") });
    expect(root.querySelector(".go-to input[name=app]")?.getAttribute("value")).toBe("kitchen_sink");
    expect(root.querySelector("html")?.getAttribute("data-app")).toBe("kitchen_sink");
  });

  test("is left out when there is no app", () => {
    expect(page({ app: null, apps: [] }).root.querySelector("title")?.text).toBe("Broker · pynenc monitor");
  });
});

test("badges and the switch of live refresh appear only when they apply", () => {
  const plain = page({ live: false }).root;
  expect(plain.querySelector("#live-switch")).toBeNull();
  expect(plain.querySelector(".header")?.text).not.toMatch(/read-only|frozen at/);
  const marked = page({ read_only: true, clock_fixed: true }).root;
  expect(marked.querySelector(".header")?.text).toMatch(/read-only.*frozen at/);
  expect(marked.querySelector("#live-switch")?.hasAttribute("disabled")).toBe(true);
  expect(marked.querySelector(".live")?.getAttribute("title")).toContain("Off because the time is frozen");
  expect(marked.querySelector(".live")?.classList.contains("needs-script")).toBe(false);
  expect(page().root.querySelector("#live-switch")?.hasAttribute("disabled")).toBe(false);
});

test("hostile names in a page are shown as text", () => {
  const { root } = page({
    title: HOSTILE,
    app: { app_id: HOSTILE },
    apps: [{ app_id: HOSTILE, phantom: false }],
    location: HOSTILE,
    notice: HOSTILE,
    links: createLinks(HOSTILE),
  });
  expect(root.querySelectorAll("script").every((script) => script.getAttribute("src")?.startsWith("/assets/"))).toBe(
    true,
  );
  expect(root.querySelector("title")?.text).toContain("⟨U+202E⟩");
  expect(root.querySelector("body")?.text).not.toMatch(/\p{Cf}|\0/u);
});
