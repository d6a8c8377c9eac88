/** The message of a failed action: that nothing was changed, and why, unless the error is a defect. */
import { expect, it } from "vitest";
import { RefusedError, StoreUnreachableError } from "../../../../src/errors.ts";
import { storeError, writeError } from "../../../../src/stores/sqlite/file/failures.ts";

const coded = (code: string) => Object.assign(new Error("said by SQLite"), { code });
const told = (code: string) => writeError(coded(code), "/srv/shop.db", 5);

it.each(["SQLITE_READONLY", "SQLITE_READONLY_DIRECTORY", "SQLITE_CANTOPEN", "SQLITE_PERM", "EACCES", "EPERM"])(
  "a write that fails with %s is refused, because this user may not write there",
  (code) => {
    expect(told(code)).toBeInstanceOf(RefusedError);
    expect(told(code)).toMatchObject({ message: "Nothing was changed: /srv/shop.db cannot be written by this user." });
  },
);

it.each([
  ["SQLITE_BUSY", "busy", /still locked by another writer after 5 s; nothing was changed\.$/],
  ["SQLITE_LOCKED_SHAREDCACHE", "busy", /nothing was changed\.$/],
  ["ENOENT", "missing", /does not exist\.$/],
  ["SQLITE_CORRUPT", "not-a-database", /is damaged\.$/],
  ["SQLITE_FULL", "failed", /^Nothing was changed: \/srv\/shop\.db could not be written \(SQLITE_FULL\)\.$/],
])("a write that fails with %s is reported as %s", (code, reason, message) => {
  expect(told(code)).toBeInstanceOf(StoreUnreachableError);
  expect(told(code)).toMatchObject({ reason, message: expect.stringMatching(message) });
});

it("a write that fails with an unknown error, or with one of the monitor's own, keeps that error", () => {
  const defect = new TypeError("undefined is not a function");
  expect(writeError(defect, "/srv/shop.db", 5)).toBe(defect);
  const refused = new RefusedError("The monitor was started with --read-only.");
  expect(writeError(refused, "/srv/shop.db", 5)).toBe(refused);
});

it.each(["SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED", "SQLITE_LOCKED_SHAREDCACHE"])(
  "a read that fails with %s may be tried again",
  (code) => {
    expect(storeError(coded(code), "/srv/shop.db")).toMatchObject({ reason: "busy", hint: "Try again in a moment." });
  },
);
