/** The document of an invocation. */
import { expect, it } from "vitest";
import { invocationApi } from "../../../src/http/legacy/invocation.ts";
import { createLinks } from "../../../src/presentation/links.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

it("the legacy JSON of an invocation outside workflows has no workflow", async () => {
  const { workflow, workflow_role, status } = await invocationApi(
    memoryApp().invocation("a").opened,
    "a",
    createLinks(null),
  );
  expect([workflow, workflow_role.is_subworkflow, status]).toEqual([null, false, "REGISTERED"]);
});

it("the legacy JSON of an invocation that defines a workflow says whether that is inside another one", async () => {
  const app = memoryApp()
    .invocation("w", { workflow: { id: "w" } })
    .invocation("s", { parent: "w", workflow: { id: "s", parent: "w" } });
  const role = async (id: string) => (await invocationApi(app.opened, id, createLinks(null))).workflow_role;
  expect(await role("w")).toMatchObject({ kind: "root", is_subworkflow: false });
  expect(await role("s")).toMatchObject({ kind: "root", is_subworkflow: true });
});

it("the legacy JSON of an invocation names its parent, or null", async () => {
  const app = memoryApp().invocation("top").invocation("a", { parent: "top" });
  const parent = async (id: string) => (await invocationApi(app.opened, id, createLinks(null))).parent_invocation_id;
  expect([await parent("a"), await parent("top")]).toEqual(["top", null]);
});
