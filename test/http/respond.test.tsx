/** Stored data is private: no answer that holds some may be kept by a cache. */
import { describe, expect, it } from "vitest";
import { download, json, redirect } from "../../src/http/respond.tsx";

async function* pieces() {
  yield "a";
  yield "b";
}

describe("caching is forbidden for", () => {
  it.each([
    ["JSON", json({})],
    ["an error as JSON", json({}, 404)],
    ["a redirect", redirect("/")],
    ["a download", download(pieces(), "text/csv", "list.csv")],
  ])("%s", (_, response) => {
    expect(response.headers.get("cache-control")).toBe("no-store");
  });
});

it("a download is sent piece by piece, under its name", async () => {
  const response = download(pieces(), "text/csv", "list.csv");
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="list.csv"');
  expect(await response.text()).toBe("ab");
});
