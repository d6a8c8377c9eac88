/** The task that a text names, or those like it. */
import { describe, expect, it } from "vitest";
import { InvalidInputError, NotFoundError } from "../../../src/errors.ts";
import { taskNamed } from "../../../src/services/find/task-name.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

const app = memoryApp()
  .invocation("a", { task: "shop.orders.ship" })
  .invocation("b", { task: "shop.mail.ship_note" })
  .invocation("c", { task: "shop.mail.send" })
  .invocation("d", { task: "shop.sms.send" })
  .invocation("e", { task: "odd key" });

const named = (text: string) => taskNamed(app.opened, "<name>", text);

describe("a task", () => {
  it.each([
    ["shop.orders.ship", "shop.orders.ship"],
    ["ship", "shop.orders.ship"],
    ["'ship'", "shop.orders.ship"],
    ["note", "shop.mail.ship_note"],
    ["SHOP.SMS.SEND", "shop.sms.send"],
    ["odd key", "odd key"],
  ])("is found by the name %s", async (text, key) => {
    expect(await named(text)).toBe(key);
  });

  it("is not chosen if several match", async () => {
    const refused = named("send");
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toMatchObject({
      message: '<name>: "send" is not accepted; it matches 2 tasks:',
      hint: "  shop.mail.send\n  shop.sms.send",
    });
  });

  it.each([
    ["shpi", "did you mean shop.orders.ship?"],
    ["shop.order.ship", "did you mean shop.orders.ship?"],
    ["shop.mial.send", "did you mean shop.mail.send?"],
    ["nothing like it", "monitor tasks lists all tasks."],
  ])("that does not exist, %s, is reported with a hint", async (text, hint) => {
    const missing = named(text);
    await expect(missing).rejects.toThrow(NotFoundError);
    await expect(missing).rejects.toMatchObject({ hint });
  });
});
