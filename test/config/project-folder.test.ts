/** The project folder of the app that a command is run for. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { holdsDatabase } from "../../src/config/discovery.ts";
import { projectFolder } from "../../src/config/project-folder.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { HAS_PIPES, makePipe } from "../support/special-files.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let made = 0;

const DATABASE = `SQLite format 3\0${" ".repeat(100)}`;

/** @param files of a tree, by their paths; the command is run in `app/src/deep`. */
function found(files: Record<string, string>, flags = {}, env = {}): string {
  const root = join(folder.path, `tree-${made++}`);
  const cwd = join(root, "app/src/deep");
  mkdirSync(cwd, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return projectFolder(cwd, flags, env, holdsDatabase).slice(root.length + 1);
}

const PROJECT = { "app/pyproject.toml": "[project]\nname = 'app'\n" };
const PYNENC = { "app/pyproject.toml": "[tool.pynenc]\napp_id = 'app'\n" };

it.each([
  ["its settings are in the project's root", PYNENC, "app"],
  ["the database is in the project's root", { ...PROJECT, "app/app.db": DATABASE }, "app"],
  ["the database is in a folder between", { ...PROJECT, "app/src/app.db": DATABASE }, "app/src"],
  ["the nearest database counts", { ...PYNENC, "app/src/deep/app.db": DATABASE }, "app/src/deep"],
  ["a repository is a project", { "app/.git/HEAD": "ref", "app/app.db": DATABASE }, "app"],
  ["a project without settings and database is not used", PROJECT, "app/src/deep"],
  ["a file that is not a database is not used", { ...PROJECT, "app/app.db": "no database" }, "app/src/deep"],
  ["a database above the project is not used", { ...PROJECT, "above.db": DATABASE }, "app/src/deep"],
  ["without a project only the current folder is searched", { "app/app.db": DATABASE }, "app/src/deep"],
])("the project folder is found: %s", (_, files, expected) => {
  expect(found(files)).toBe(expected);
});

it.each([
  [{ db: "x.db" }, {}],
  [{ url: "redis://host" }, {}],
  [{ config: "x.toml" }, {}],
  [{}, { PYNENC_MONITOR_DB: "x.db" }],
])("the project folder is the current one if a store or a file is named: %j %j", (flags, env) => {
  expect(found(PYNENC, flags, env)).toBe("app/src/deep");
});

it.runIf(HAS_PIPES)("a pipe or device called pyproject.toml has no settings, and is not waited for", () => {
  const root = join(folder.path, "with-pipe");
  mkdirSync(join(root, "deep"), { recursive: true });
  makePipe(join(root, "pyproject.toml"));
  symlinkSync("/dev/zero", join(root, "deep", "pyproject.toml"));
  expect(projectFolder(join(root, "deep"), {}, {}, holdsDatabase)).toBe(join(root, "deep"));
  expect(projectFolder(root, {}, {}, holdsDatabase)).toBe(root);
});
