/** `monitor bundle`: one file that needs neither network nor scripts. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "node-html-parser";
import { beforeAll, describe, expect, test } from "vitest";
import { factsOf } from "../support/fixtures.ts";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const KITCHEN = "kitchen_sink";
const facts = factsOf("kitchen_sink.db", KITCHEN);
let here: string[];
let failed: { invocation_id: string; exception: { type: string; message: string } };
beforeAll(async () => {
  const fixture = "kitchen_sink.db";
  here = ["--db", ownCopy(fixture, folder), "--app", KITCHEN, "--now", presentOption(fixture)];
  const { stdout } = await monitor([...here, "invocations", "status:failed", "exception:ValueError", "--json"]);
  failed = JSON.parse(stdout).invocations[0];
});

async function bundled(name: string, ...args: string[]) {
  const path = join(folder, name);
  const run = await monitor([...here, "bundle", "-o", path, ...args]);
  const html = existsSync(path) ? readFileSync(path, "utf8") : "";
  return { run, path, html, page: parse(html) };
}

describe("the file of monitor bundle", () => {
  test("loads nothing, runs no script and links only to its own parts", async () => {
    const { page, html } = await bundled("one.html", failed.invocation_id);
    const policy = page.querySelector("meta[http-equiv=Content-Security-Policy]")?.getAttribute("content");
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'$/);
    for (const active of ["script", "link", "img", "iframe", "object", "form", "button", "input"])
      expect(page.querySelectorAll(active).length, active).toBe(0);
    const places = page.querySelectorAll("a").flatMap((link) => link.getAttribute("href") ?? []);
    for (const place of places) expect(page.getElementById(place.slice(1)), place).not.toBeNull();
    expect(page.querySelectorAll("*").filter((one) => one.getAttribute("style") !== undefined)).toEqual([]);
    expect(html).not.toMatch(/\s(on\w+|hx-[\w-]+|src|srcset)=/);
    expect(html.match(/url\((?!#)[^)]*\)/g) ?? []).toEqual([]);
  });

  test("has the verdict, the family, the values and the history of an invocation", async () => {
    const { page } = await bundled("told.html", failed.invocation_id);
    const text = page.querySelector("main")?.textContent ?? "";
    expect(text).toContain(failed.exception.message);
    const titles = page.querySelectorAll("h2").map((title) => title.textContent);
    expect(titles).toEqual(
      expect.arrayContaining(["Result", "Arguments", "Family over time", expect.stringMatching(/^History/)]),
    );
    expect(page.querySelector(".family-picture svg.timeline-plot")).not.toBeNull();
    expect(page.querySelector("title")?.textContent).toContain(failed.invocation_id);
  });

  test("has for a search the list of matches, with links to those that it describes", async () => {
    const { page, run } = await bundled("search.html", "status:failed");
    const count = facts.statuses.failed ?? 0;
    expect(page.querySelector("h2")?.textContent).toBe(`Invocations (${count})`);
    expect(page.querySelectorAll("section.bundle-part").length).toBe(Math.min(20, count));
    expect(page.querySelector("tbody a[href]")?.getAttribute("href")).toMatch(/^#/);
    expect(run.stderr).toMatch(/^Written to /);
    const many = await bundled("many.html", "status:success");
    expect(many.page.querySelectorAll("section.bundle-part").length).toBe(20);
    expect(many.page.querySelector("main")?.textContent).toContain("are listed without their details");
  });

  test("has for an event what led to it and what followed", async () => {
    const { stdout } = await monitor([...here, "events", "--json"]);
    const event = JSON.parse(stdout).events.find((one: { triggered: boolean }) => one.triggered);
    const { page } = await bundled("event.html", event.event_id);
    expect(page.querySelectorAll("section.bundle-part").length).toBeGreaterThan(0);
    expect(page.querySelector("h1")?.textContent).toBe(`event ${event.event_id}`);
  });
});

describe("monitor bundle", () => {
  test("leaves out values with --no-values, and says so in the file", async () => {
    const { html } = await bundled("bare.html", "--no-values", "status:failed", "exception:ValueError");
    expect(html).toContain("ValueError");
    expect(html).toContain("--no-values");
    expect(html).not.toContain(failed.exception.message);
    const both = await bundled("both.html", failed.invocation_id, "--no-values", "--logs", "x.log");
    expect([both.run.code, both.run.stderr]).toEqual([2, expect.stringContaining("--logs")]);
  });

  test("adds the log lines that name its invocations, escaped and with secrets masked", async () => {
    const log = join(folder, "worker.log");
    const line = (text: string) => `2026-11-21 00:35:12.000+00:00 INFO pynenc ${text}\n`;
    writeFileSync(
      log,
      line(`invocation:${failed.invocation_id} <script>alert(1)</script> password=hunter2 \u001b[31m`) +
        line("invocation:00000000-0000-4000-8000-000000000000 another"),
    );
    const { html, page } = await bundled("logs.html", failed.invocation_id, "--logs", log);
    const shown = page.querySelector(".bundle-log")?.textContent ?? "";
    expect(shown).toContain("password=••••••");
    expect(html).toContain("&lt;script>alert(1)");
    expect(page.querySelectorAll("script").length).toBe(0);
    expect(shown).not.toContain("another");
    expect(html).not.toContain("hunter2");
    expect(html).not.toContain("\u001b");
  });
});

test("monitor bundle reads a log in UTF-16", async () => {
  const log = join(folder, "utf16.log");
  const line = `2026-11-21 00:35:12.000+00:00 INFO pynenc invocation:${failed.invocation_id} Grüße\n`;
  writeFileSync(log, `\ufeff${line}`, "utf16le");
  const { page } = await bundled("utf16.html", failed.invocation_id, "--logs", log);
  expect(page.querySelector(".bundle-log")?.textContent).toContain(line.trimEnd());
});

test("monitor bundle does not overwrite a file without --force, and exits with the usual codes", async () => {
  const { path } = await bundled("kept.html", failed.invocation_id);
  writeFileSync(path, "mine");
  expect((await bundled("kept.html", failed.invocation_id)).run.code).toBe(2);
  expect(readFileSync(path, "utf8")).toBe("mine");
  expect((await bundled("kept.html", failed.invocation_id, "--force")).run.code).toBe(0);
  expect(readFileSync(path, "utf8")).toMatch(/^<!doctype html>/);
  expect((await bundled("none.html", "status:failed", "no-such-text-anywhere")).run.code).toBe(3);
  expect((await bundled("nothing.html")).run.code).toBe(2);
  expect((await bundled("unread.html", failed.invocation_id, "--logs", join(folder, "missing.log"))).run.code).toBe(2);
  expect((await monitor([...here, "bundle", failed.invocation_id])).code).toBe(2);
  for (const name of ["none.html", "nothing.html", "unread.html"]) expect(existsSync(join(folder, name))).toBe(false);
});
