import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { discoverStore } from "../../src/config/discovery.ts";
import { type OptionFlags, resolveConfiguration } from "../../src/config/options.ts";
import { parseRedisUrl } from "../../src/config/redis-address.ts";
import type { Environment } from "../../src/config/setting-sources.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { anyText } from "../support/any-text.ts";
import { thrownBy, workspace } from "./workspace.ts";

function servers(env: Environment = {}, flags: OptionFlags = { backend: "redis" }, cwd = workspace()) {
  const { options, settings } = resolveConfiguration({ flags, env, cwd });
  const found = discoverStore({ options, settings, cwd });
  if (found.kind !== "redis") throw new Error(`expected servers, found ${found.kind}`);
  return found;
}

function broker(env: Environment) {
  return servers(env).endpoints.broker;
}

describe("the option --url", () => {
  it.each([
    ["redis://host", "redis://host:6379/0", "redis://host:6379/0"],
    ["REDISS://Host:1/12", "rediss://host:1/12", "rediss://host:1/12"],
    ["redis://:pw@host/", "redis://:pw@host:6379/0", "redis://host:6379/0"],
    ["redis://user:p%40w@[::1]:7000/3", "redis://user:p%40w@[::1]:7000/3", "redis://[::1]:7000/3"],
    ["redis://user@host", "redis://user@host:6379/0", "redis://host:6379/0"],
    [" redis://user:100%@host ", "redis://user:100%25@host:6379/0", "redis://host:6379/0"],
  ])("is read from %s", (text, url, location) => {
    expect(parseRedisUrl(text)).toEqual({ url, location });
    expect(servers({}, { url: text }).endpoints.trigger).toMatchObject({ url, location, origin: "--url" });
  });

  it.each([
    ["host:6379", "it must begin with redis://"],
    ["http://user:hunter2@host", "rediss://"],
    ["unix:///run/redis.sock", "it must begin with redis://"],
    ["redis://", "it must name a host"],
    ["redis:///0", "it must name a host"],
    ["redis://:hunter2@/0", "it must be redis://"],
    ["redis://user:hunter2@host:0", "from 1 to 65535"],
    ["redis://user:hunter2@host:70000", "from 1 to 65535"],
    ["redis://user:hunter2@host:port", "from 1 to 65535"],
    ["redis://user:hunter2", "from 1 to 65535"],
    ["redis://user:hunter2@host/name", "only a database number may follow the host"],
    ["redis://user:hunter2@host/-1", "only a database number may follow the host"],
    ["redis://user:hunter2@host/0/1", "only a database number may follow the host"],
    ["redis://host?password=hunter2", "only a database number may follow the host"],
    ["redis://user:hunter2#@host", "percent-encoded"],
    ["user:hunter2@host", "it must begin with redis://"],
  ])("is refused: %s", (url, accepted) => {
    for (const [flags, env, parameter] of [
      [{ url }, {}, "--url"],
      [{}, { PYNENC_MONITOR_URL: url }, "PYNENC_MONITOR_URL"],
    ] as const) {
      const error = thrownBy(() => resolveConfiguration({ flags, env, cwd: workspace() })) as InvalidInputError;
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error.problems[0]?.parameter).toBe(parameter);
      expect(error.problems[0]?.accepted).toContain(accepted);
      expect(JSON.stringify([error.message, error.hint, error.problems])).not.toContain("hunter2");
    }
  });

  it("sends any user and password to the server and shows neither", () => {
    const word = anyText({ minLength: 1 });
    fc.assert(
      fc.property(word, word, (user, password) => {
        const given = `redis://${encodeURIComponent(user)}:${encodeURIComponent(password)}@host`;
        const parsed = parseRedisUrl(given);
        if (typeof parsed === "string") throw new Error(parsed);
        const { username, password: kept } = new URL(parsed.url);
        expect([decodeURIComponent(username), decodeURIComponent(kept)]).toEqual([user, password]);
        expect(parsed.location).toBe("redis://host:6379/0");
      }),
    );
  });
});

describe("pynenc's settings for Redis", () => {
  it("have this machine as the default", () => {
    const { endpoints, origin, tried } = servers();
    for (const endpoint of Object.values(endpoints)) {
      expect(endpoint).toEqual({
        url: "redis://localhost:6379/0",
        location: "redis://localhost:6379/0",
        connectTimeout: 5,
        timeout: 10,
        origin: "default",
      });
    }
    expect(origin).toBe("--backend, default address");
    expect(tried).toContain("broker: redis://localhost:6379/0 (default)");
  });

  it("give a URL from host, port, database, user and password", () => {
    const env = {
      PYNENC__REDIS_HOST: "Cache.internal",
      PYNENC__REDIS_PORT: "7000",
      PYNENC__REDIS_DB: "2",
      PYNENC__REDIS_USERNAME: "me",
      PYNENC__REDIS_PASSWORD: "p@ss/w?rd#%",
    };
    expect(broker(env)).toMatchObject({
      url: "redis://me:p%40ss%2Fw%3Frd%23%25@cache.internal:7000/2",
      location: "redis://cache.internal:7000/2",
      origin: Object.keys(env).join(", "),
    });
  });

  it("use only the URL if it is set", () => {
    const env = { PYNENC__REDIS_URL: "rediss://:pw@host/4", PYNENC__REDIS_HOST: "other", PYNENC__REDIS_PORT: "1" };
    expect(broker(env)).toMatchObject({ url: "rediss://:pw@host:6379/4", origin: "PYNENC__REDIS_URL" });
  });

  it.each([
    ["redis://", "redis://localhost:6379/0"],
    ["redis://:pw@:7000/1", "redis://:pw@localhost:7000/1"],
    ["redis:///3", "redis://localhost:6379/3"],
    ["redis://host?db=5", "redis://host:6379/5"],
    ["redis://host/1?db=5", "redis://host:6379/5"],
    ["redis://host?username=me&password=pw", "redis://me:pw@host:6379/0"],
    ["redis://host/name", "redis://host:6379/0"],
  ])("read %s like redis-py", (url, expected) => {
    expect(broker({ PYNENC__REDIS_URL: url }).url).toBe(expected);
  });

  it("are inherited from general to particular, and may name a server for each component", () => {
    const cwd = workspace({
      "pyproject.toml": [
        "[tool.pynenc.redis]",
        'redis_host = "shared"',
        "redis_db = 1",
        "[tool.pynenc.brokerredis]",
        'redis_url = "redis://:hunter2@queue:6380/0"',
        "[tool.pynenc.triggerredis]",
        "redis_db = 7",
      ].join("\n"),
    });
    const { endpoints, origin, tried } = servers({ PYNENC__CONFIGSTATEBACKENDREDIS__REDIS_HOST: "state" }, {}, cwd);
    expect(Object.fromEntries(Object.entries(endpoints).map(([name, { location }]) => [name, location]))).toEqual({
      broker: "redis://queue:6380/0",
      orchestrator: "redis://shared:6379/1",
      state_backend: "redis://state:6379/1",
      client_data_store: "redis://shared:6379/1",
      trigger: "redis://shared:6379/7",
    });
    expect(origin).toContain("PYNENC__CONFIGSTATEBACKENDREDIS__REDIS_HOST");
    expect(tried).toContain("broker: redis://queue:6380/0 (pyproject.toml [tool.pynenc.brokerredis])");
    expect(tried.join("\n")).not.toContain("hunter2");
  });

  it.each([
    ["0.5", "0.5", 0.5, 10],
    ["30", "60", 30, 60],
    ["0", "0", 5, 10],
  ])("limit the connection to %s s and answers to %s s", (connect, answer, connectTimeout, timeout) => {
    const env = { PYNENC__SOCKET_CONNECT_TIMEOUT: connect, PYNENC__SOCKET_TIMEOUT: answer };
    expect(broker(env)).toMatchObject({ connectTimeout, timeout });
  });

  it("give an IPv6 address in brackets", () => {
    expect(broker({ PYNENC__REDIS_HOST: "::1" }).url).toBe("redis://[::1]:6379/0");
  });

  it.each([
    ["PYNENC__REDIS_PORT", "0", "redis_port"],
    ["PYNENC__REDIS_PORT", "70000", "redis_port"],
    ["PYNENC__REDIS_DB", "-1", "redis_db"],
    ["PYNENC__REDIS_HOST", " ", "redis_host"],
    ["PYNENC__REDIS_HOST", "me:hunter2@host", "redis_host"],
    ["PYNENC__REDIS_URL", "me:hunter2@host", "redis_url"],
    ["PYNENC__REDIS_URL", "unix://me:hunter2@/run/redis.sock", "redis_url"],
    ["PYNENC__REDIS_URL", "redis://:hunter2@host:port", "redis_url"],
  ])("are refused: %s=%s", (variable, value, field) => {
    const error = thrownBy(() => broker({ [variable]: value })) as InvalidInputError;
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.problems[0]?.parameter).toBe(`${field} (${variable})`);
    expect(JSON.stringify([error.message, error.hint])).not.toContain("hunter2");
  });
});
