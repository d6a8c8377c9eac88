import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { effectiveSettings } from "../../../src/config/pynenc-sources.ts";
import { rabbitAddress } from "../../../src/services/app/app-queue.ts";
import { temporaryFolder } from "../../support/fixtures.ts";

describe("rabbitAddress", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  function addressOf(
    env: Record<string, string>,
    config_values: Record<string, unknown> | null = null,
  ): ReturnType<typeof rabbitAddress> {
    const appInfo = config_values === null ? null : { config_values };
    return rabbitAddress(effectiveSettings({ cwd: folder.path, env, configFile: null, appInfo }));
  }

  it("is null for an app with another broker, whatever else is set", () => {
    expect(addressOf({ PYNENC__RABBITMQ_HOST: "mq" })).toBeNull();
    expect(addressOf({ PYNENC__BROKER_CLS: "RedisBroker", PYNENC__RABBITMQ_HOST: "mq" })).toBeNull();
  });

  it("has pynenc's defaults if nothing is configured", () => {
    expect(addressOf({ PYNENC__BROKER_CLS: "RabbitMqBroker" })).toEqual({
      host: "localhost",
      port: 5672,
      username: "guest",
      password: "guest",
      virtual_host: "/",
      queue: "pynenc_broker_messages",
      refused: null,
    });
  });

  it("comes from files and variables, the section of the broker class before the one of RabbitMQ in general", () => {
    writeFileSync(
      join(folder.path, "pyproject.toml"),
      `[tool.pynenc]
      broker_cls = "RabbitMqBroker"
      [tool.pynenc.rabbitmq]
      rabbitmq_host = "mq"
      rabbitmq_port = "5673"
      rabbitmq_queue_prefix = "all"
      [tool.pynenc.brokerrabbitmq]
      rabbitmq_queue_prefix = "shop"`,
    );
    expect(addressOf({ PYNENC__CONFIGRABBITMQ__RABBITMQ_PASSWORD: "geheim" })).toMatchObject({
      host: "mq",
      port: 5673,
      password: "geheim",
      queue: "shop_broker_messages",
      refused: null,
    });
  });

  it.each([
    ["mq.example.org", false],
    ["127.0.0.1.example.org", false],
    ["10.0.0.7", false],
    ["127.0.0.1", true],
    ["::1", true],
    ["localhost", true],
  ])("accepts host %s if only the app's registration names it: %s", (rabbitmq_host, used) => {
    const registered = { broker_cls: "RabbitMqBroker", rabbitmq_host };
    expect(addressOf({}, registered)?.refused === null).toBe(used);
    const inSection = { broker_cls: "RabbitMqBroker", rabbitmq: { rabbitmq_host } };
    expect(addressOf({}, inSection)?.refused === null).toBe(used);
    // Somebody here has confirmed it.
    expect(addressOf({ PYNENC__RABBITMQ_HOST: rabbitmq_host }, registered)?.refused).toBeNull();
  });
});
