/** Externalised values: figures, pages, and one that is looked up. */
import { describe, expect, it } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { clientDataKey } from "../../../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { clientDataOverview } from "../../../src/services/components/client-data.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const app = memoryApp().value('"é"', at(1)).value("[1, 2]", at(3)).value("[3]", at(2));

describe("externalised values", () => {
  it("are counted and listed newest first, with their bytes", async () => {
    const found = await clientDataOverview(app.opened, { limit: ["2"] });
    expect(found).toMatchObject({
      present: true,
      values: 3,
      bytes: 13,
      oldest: isoFromEpoch(at(1)),
      newest: isoFromEpoch(at(3)),
      looked_up: null,
      page: { total: 3, has_next: true },
    });
    expect(found.rows).toEqual([
      { data_key: clientDataKey("[1, 2]"), size: 6, stored_at: isoFromEpoch(at(3)) },
      { data_key: clientDataKey("[3]"), size: 3, stored_at: isoFromEpoch(at(2)) },
    ]);
  });

  it("have no times if the store keeps none or is empty", async () => {
    expect(await clientDataOverview(memoryApp().opened, {})).toMatchObject({
      values: 0,
      bytes: 0,
      oldest: null,
      newest: null,
      rows: [],
      page: { total: 0 },
    });
    const { rows } = await clientDataOverview(memoryApp().value("1", null).opened, {});
    expect(rows.map((row) => row.stored_at)).toEqual([null]);
  });
});

it("the settings that decide which values are externalised are part of the overview", async () => {
  const { settings } = await clientDataOverview(app.opened, {});
  expect(settings.map((row) => row.field)).toEqual([
    "client_data_store_cls",
    "disable_client_data_store",
    "min_size_to_cache",
    "max_size_to_cache",
    "local_cache_size",
    "warn_threshold",
    "compression_enabled",
  ]);
});

describe("a value that is looked up", () => {
  it("is found by its reference", async () => {
    const reference = clientDataKey("[1, 2]");
    for (const given of [reference, ` ${reference} `]) {
      const { looked_up } = await clientDataOverview(app.opened, { reference: [given] });
      expect(looked_up).toMatchObject({ data_key: reference, size: 6, stored_at: isoFromEpoch(at(3)) });
      expect(looked_up?.value).toMatchObject({ form: "json", truncated: false });
    }
  });

  it("is reported as not found, with why it may be missing", async () => {
    const lookUp = (from: typeof app) =>
      clientDataOverview(from.opened, { reference: ["0".repeat(64)] }).catch((error: unknown) => error);
    expect(await lookUp(app)).toBeInstanceOf(NotFoundError);
    expect(await lookUp(app)).toMatchObject({ hint: expect.stringContaining("may have been purged") });
    const elsewhere = memoryApp();
    elsewhere.change((rows) => {
      rows.capabilities.components.client_data_store = false;
    });
    expect(await lookUp(elsewhere)).toMatchObject({ hint: expect.stringContaining("This store has no client data") });
  });

  it.each(["abc", "0".repeat(63), "0".repeat(65), "G".repeat(64)])(
    "%j is not found, and the hint gives the usual form",
    async (given) => {
      await expect(clientDataOverview(app.opened, { reference: [given] })).rejects.toMatchObject({
        constructor: NotFoundError,
        hint: expect.stringMatching(/^A reference is .*<sha256>; the 64 hex digits alone are enough\.$/),
      });
    },
  );

  it("is found under a key of any form, if it is stored under that key", async () => {
    const odd = memoryApp().change((rows) => rows.values.push({ data_key: "odd key", text: "1", created_at: null }));
    const { looked_up } = await clientDataOverview(odd.opened, { reference: ["odd key"] });
    expect(looked_up).toMatchObject({ data_key: "odd key", value: { text: "1" } });
  });
});
