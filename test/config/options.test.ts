import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type OptionFlags, resolveConfiguration } from "../../src/config/options.ts";
import { stateFolder } from "../../src/config/user-folders.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { thrownBy, workspace } from "./workspace.ts";

describe("default options", () => {
  it("apply without any source, and have the origin default", () => {
    const options = resolveConfiguration({ flags: {}, env: {}, cwd: workspace() }).options;
    const values = Object.fromEntries(Object.entries(options).map(([name, { value }]) => [name, value]));
    expect(values).toEqual({
      app: null,
      backend: "sqlite",
      basePath: "",
      url: null,
      db: null,
      config: null,
      host: "127.0.0.1",
      port: 8000,
      readOnly: false,
      allowActions: false,
      token: "none",
      tokenFile: null,
      noToken: false,
      onVerdict: null,
      publicMetrics: false,
      noStats: false,
      noCache: false,
      lockWait: 30,
      maxCommands: null,
      stateDir: stateFolder({}),
      allowedHosts: [],
      now: null,
      logLevel: "info",
      json: false,
      quiet: false,
      color: "auto",
      noPager: false,
    });
    expect(new Set(Object.values(options).map(({ origin }) => origin))).toEqual(new Set(["default"]));
  });
});

describe("the sources of an option", () => {
  it.each([
    ["app", { app: "one" }, "--app", { PYNENC_MONITOR_APP: "two" }, "one", "two"],
    ["backend", { backend: "SQLite" }, "--backend", { PYNENC_MONITOR_BACKEND: "sqlite" }, "sqlite", "sqlite"],
    ["host", { host: "0.0.0.0" }, "--host", { PYNENC_MONITOR_HOST: "[::1]" }, "0.0.0.0", "::1"],
    ["port", { port: "auto" }, "--port", { PYNENC_MONITOR_PORT: "9000" }, "auto", 9000],
    ["readOnly", { readOnly: true }, "--read-only", { PYNENC_MONITOR_READ_ONLY: "yes" }, true, true],
    ["noStats", { stats: false }, "--no-stats", { PYNENC_MONITOR_NO_STATS: "yes" }, true, true],
    ["noCache", { cache: false }, "--no-cache", { PYNENC_MONITOR_NO_CACHE: "yes" }, true, true],
    ["allowActions", { allowActions: true }, "--allow-actions", { PYNENC_MONITOR_ALLOW_ACTIONS: "yes" }, true, true],
    ["publicMetrics", { publicMetrics: true }, "--public-metrics", { PYNENC_MONITOR_PUBLIC_METRICS: "1" }, true, true],
    ["token", { token: "auto" }, "--token", { PYNENC_MONITOR_TOKEN: "auto" }, "auto", "auto"],
    [
      "onVerdict",
      { onVerdict: "tell 'the team' now" },
      "--on-verdict",
      { PYNENC_MONITOR_ON_VERDICT: "tell" },
      ["tell", "the team", "now"],
      ["tell"],
    ],
    ["noToken", { token: false }, "--no-token", { PYNENC_MONITOR_NO_TOKEN: "yes" }, true, true],
    [
      "allowedHosts",
      { allowedHost: ["A.example", "b.example,.c.example"] },
      "--allowed-host",
      { PYNENC_MONITOR_ALLOWED_HOST: "web, web, 10.0.0.1," },
      ["a.example", "b.example", ".c.example"],
      ["web", "10.0.0.1"],
    ],
    [
      "basePath",
      { basePath: "/ops/mon/" },
      "--base-path",
      { PYNENC_MONITOR_BASE_PATH: "/~m.1-x_y" },
      "/ops/mon",
      "/~m.1-x_y",
    ],
    ["now", { now: "1970-01-01T00:01:00Z" }, "--now", { PYNENC_MONITOR_NOW: "1970-01-01T00:00:01.5" }, 60, 1.5],
    ["lockWait", { lockWait: "0.5" }, "--lock-wait", { PYNENC_MONITOR_LOCK_WAIT: "5" }, 0.5, 5],
    ["maxCommands", { maxCommands: "10" }, "--max-commands", { PYNENC_MONITOR_MAX_COMMANDS: "1000000" }, 10, 1_000_000],
    ["stateDir", { stateDir: "/a/b" }, "--state-dir", { PYNENC_MONITOR_STATE_DIR: "/c" }, "/a/b", "/c"],
    ["logLevel", { logLevel: "debug" }, "--log-level", { PYNENC_MONITOR_LOG_LEVEL: "WARN" }, "debug", "warn"],
    ["json", { json: true }, "--json", { PYNENC_MONITOR_JSON: "1" }, true, true],
    ["quiet", { quiet: true }, "--quiet", { PYNENC_MONITOR_QUIET: "on" }, true, true],
  ] as const)("%s: the flag overrides the variable", (name, flags, flagName, env, fromFlag, fromVariable) => {
    const cwd = workspace();
    const [variable] = Object.keys(env);
    expect(resolveConfiguration({ flags: flags as OptionFlags, env, cwd }).options[name]).toEqual({
      value: fromFlag,
      origin: flagName,
    });
    expect(resolveConfiguration({ flags: {}, env, cwd }).options[name]).toEqual({
      value: fromVariable,
      origin: variable,
    });
  });

  it("include a flag that switches off what a variable switches on", () => {
    const { options } = resolveConfiguration({
      flags: { readOnly: false },
      env: { PYNENC_MONITOR_READ_ONLY: "1" },
      cwd: workspace(),
    });
    expect(options.readOnly).toEqual({ value: false, origin: "--read-only" });
  });

  it("do not include an empty variable", () => {
    const env = { PYNENC_MONITOR_PORT: "", PYNENC_MONITOR_DB: " ", NO_COLOR: "" };
    const options = resolveConfiguration({ flags: {}, env, cwd: workspace() }).options;
    expect(options.port.origin).toBe("default");
    expect(options.db.value).toBeNull();
    expect(options.color.value).toBe("auto");
  });

  it.each([
    [{ color: false }, {}, { value: "never", origin: "--no-color" }],
    [{ color: "Always" }, { NO_COLOR: "1" }, { value: "always", origin: "--color" }],
    [{}, { NO_COLOR: "0" }, { value: "never", origin: "NO_COLOR" }],
    [{}, { FORCE_COLOR: "1" }, { value: "always", origin: "FORCE_COLOR" }],
    [{}, { FORCE_COLOR: "0" }, { value: "never", origin: "FORCE_COLOR" }],
    [{}, { FORCE_COLOR: "", NO_COLOR: "" }, { value: "auto", origin: "default" }],
    [{}, { FORCE_COLOR: "1", NO_COLOR: "1" }, { value: "never", origin: "NO_COLOR" }],
    [{ color: "auto" }, { FORCE_COLOR: "1" }, { value: "auto", origin: "--color" }],
  ] as const)("decide about colours: %j %j", (flags, env, expected) => {
    expect(resolveConfiguration({ flags, env, cwd: workspace() }).options.color).toEqual(expected);
  });
});

describe("pynenc's configuration", () => {
  it("gives app and database, relative to the current directory", () => {
    const cwd = workspace({
      "conf/app.yaml": "app_id: shop\nsqlite:\n  sqlite_db_path: data/shop.db\n",
    });
    const options = resolveConfiguration({ flags: { config: "conf/app.yaml" }, env: {}, cwd }).options;
    expect(options.app).toEqual({ value: "shop", origin: "conf/app.yaml (--config)" });
    expect(options.db).toEqual({ value: join(cwd, "data/shop.db"), origin: "conf/app.yaml [sqlite] (--config)" });
    expect(options.config).toEqual({ value: join(cwd, "conf/app.yaml"), origin: "--config" });
  });

  it("can be named by a variable, and is kept for later", () => {
    const cwd = workspace({ "app.json": '{"app_id": "shop"}' });
    const { options, configFile } = resolveConfiguration({
      flags: {},
      env: { PYNENC_MONITOR_CONFIG: "app.json" },
      cwd,
    });
    expect(options.app.value).toBe("shop");
    expect(configFile).toEqual({ path: "app.json", namedBy: "PYNENC_MONITOR_CONFIG" });
  });

  it("is overridden by flags", () => {
    const cwd = workspace();
    const env = { PYNENC__APP_ID: "configured", PYNENC__SQLITE_DB_PATH: "configured.db" };
    const options = resolveConfiguration({ flags: { app: "flag", db: "/flag.db" }, env, cwd }).options;
    expect([options.app.value, options.db.value]).toEqual(["flag", "/flag.db"]);
  });

  it("leaves the database open if components have different ones", () => {
    const env = { PYNENC__SQLITE_DB_PATH: "a.db", PYNENC__CONFIGTRIGGERSQLITE__SQLITE_DB_PATH: "b.db" };
    expect(resolveConfiguration({ flags: {}, env, cwd: workspace() }).options.db).toEqual({
      value: null,
      origin: "default",
    });
  });

  it("with an app on Rustvello's components is refused unless a file is named", () => {
    const name = "RustStateBackend";
    const env = { PYNENC__STATE_BACKEND_CLS: name };
    const cwd = workspace();
    const error = thrownBy(() => resolveConfiguration({ flags: {}, env, cwd }).options) as InvalidInputError;
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.problems).toEqual([
      {
        parameter: "state_backend_cls (PYNENC__STATE_BACKEND_CLS)",
        value: name,
        accepted: "supported: sqlite, redis, mongodb",
      },
    ]);
    expect(resolveConfiguration({ flags: { db: "x.db" }, env, cwd }).options.db.value).toBe(join(cwd, "x.db"));
  });
});

describe("the limit on commands", () => {
  it.each([
    ["sqlite", null],
    ["redis", 20_000],
    ["mongodb", 1_000],
  ])("is by default that of the kind of store: %s", (backend, most) => {
    const { options } = resolveConfiguration({ flags: { backend }, env: {}, cwd: workspace() });
    expect(options.maxCommands).toEqual({ value: most, origin: "default" });
  });
});

describe("invalid options", () => {
  const PORT = "it must be a whole number from 1 to 65535, or auto";
  const BOOLEAN = "it must be one of true, false, 1, 0, yes, no, on, off";
  const HOST = "it must be an IP address or a host name, without scheme and port";

  it.each([
    [{ app: "" }, {}, "--app", "", "it must not be empty"],
    [{ backend: "postgres" }, {}, "--backend", "postgres", "supported: sqlite, redis, mongodb"],
    [
      {},
      { PYNENC_MONITOR_BACKEND: "rabbitmq" },
      "PYNENC_MONITOR_BACKEND",
      "rabbitmq",
      "supported: sqlite, redis, mongodb",
    ],
    [{ db: "" }, {}, "--db", "", "it must be the path of a file"],
    [{ db: "a\0b" }, {}, "--db", "a\0b", "it must be the path of a file"],
    [{ port: "0" }, {}, "--port", "0", PORT],
    [{ port: 70000 }, {}, "--port", "70000", PORT],
    [{ port: "8e3" }, {}, "--port", "8e3", PORT],
    [{}, { PYNENC_MONITOR_PORT: "-1" }, "PYNENC_MONITOR_PORT", "-1", PORT],
    [{}, { PYNENC_MONITOR_READ_ONLY: "maybe" }, "PYNENC_MONITOR_READ_ONLY", "maybe", BOOLEAN],
    [{}, { PYNENC_MONITOR_JSON: "2" }, "PYNENC_MONITOR_JSON", "2", BOOLEAN],
    [{ host: "http://localhost" }, {}, "--host", "http://localhost", HOST],
    [{ host: "localhost:80" }, {}, "--host", "localhost:80", HOST],
    [{ host: "127.0.0.256" }, {}, "--host", "127.0.0.256", HOST],
    [{ host: "a b" }, {}, "--host", "a b", HOST],
    [
      { now: "yesterday" },
      {},
      "--now",
      "yesterday",
      "it must be an ISO 8601 instant such as 2026-11-21T00:34:39+00:00, between 1970-01-01 and 2255-01-01",
    ],
    [
      { now: "9999-12-31" },
      {},
      "--now",
      "9999-12-31",
      "it must be an ISO 8601 instant such as 2026-11-21T00:34:39+00:00, between 1970-01-01 and 2255-01-01",
    ],
    [{ stateDir: " " }, {}, "--state-dir", " ", "it must be the path of a folder"],
    [{ maxCommands: "9" }, {}, "--max-commands", "9", "it must be a whole number from 10 to 1000000"],
    [{ maxCommands: "1000001" }, {}, "--max-commands", "1000001", "it must be a whole number from 10 to 1000000"],
    [{ lockWait: "-1" }, {}, "--lock-wait", "-1", "it must be a number of seconds from 0 to 3600"],
    [{ logLevel: "loud" }, {}, "--log-level", "loud", "it must be one of silent, error, warn, info, debug"],
    [
      { allowedHost: ["good", "http://bad"] },
      {},
      "--allowed-host",
      "good,http://bad",
      "it must be host names separated by commas, without scheme and port; .example.com admits subdomains",
    ],
  ])("are refused: %j %j", (flags, env, parameter, value, accepted) => {
    const error = thrownBy(() => resolveConfiguration({ flags, env, cwd: workspace() }).options);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as InvalidInputError).problems).toEqual([{ parameter, value, accepted }]);
  });

  it("are all reported at once", () => {
    const flags = { port: "x", host: "y z" };
    const error = thrownBy(
      () => resolveConfiguration({ flags, env: {}, cwd: workspace() }).options,
    ) as InvalidInputError;
    expect(error.problems.map(({ parameter }) => parameter)).toEqual(["--host", "--port"]);
  });
});

describe("the base path", () => {
  it.each([
    "mon",
    "//mon",
    "/mon//x",
    "/..",
    "/a/../b",
    "/./a",
    "/a b",
    "/a%20b",
    "/a?b",
    "/a#b",
    "/a;b",
    "/ä",
    "http://a/b",
    `/${"a".repeat(200)}`,
  ])("%j is refused", (basePath) => {
    const error = thrownBy(() => resolveConfiguration({ flags: { basePath }, env: {}, cwd: workspace() }).options);
    expect((error as InvalidInputError).problems).toMatchObject([{ parameter: "--base-path", value: basePath }]);
  });

  it.each(["", "/", " / "])("%j means no base path", (basePath) => {
    expect(resolveConfiguration({ flags: { basePath }, env: {}, cwd: workspace() }).options.basePath.value).toBe("");
  });
});

describe("the choice of the store", () => {
  const URL = "redis://host:6379/0";

  it.each([
    ["--url alone", { url: "redis://host" }, {}, { kind: "redis", origin: "--url", url: URL, db: null }],
    [
      "its variable",
      {},
      { PYNENC_MONITOR_URL: URL },
      { kind: "redis", origin: "PYNENC_MONITOR_URL", url: URL, db: null },
    ],
    [
      "both, if they agree",
      { url: URL, backend: "redis" },
      {},
      { kind: "redis", origin: "--backend", url: URL, db: null },
    ],
    ["a kind alone", { backend: "redis" }, {}, { kind: "redis", origin: "--backend", url: null, db: null }],
    [
      "a file by flag, whatever the variables say",
      { db: "/a.db" },
      { PYNENC_MONITOR_URL: URL, PYNENC_MONITOR_BACKEND: "redis" },
      { kind: "sqlite", origin: "--db", url: null, db: "/a.db" },
    ],
    [
      "a server by flag, whatever the variables say",
      { url: URL },
      { PYNENC_MONITOR_DB: "/a.db", PYNENC_MONITOR_BACKEND: "sqlite" },
      { kind: "redis", origin: "--url", url: URL, db: null },
    ],
    [
      "a kind by flag, whatever the variables say",
      { backend: "redis" },
      { PYNENC_MONITOR_DB: "/a.db" },
      { kind: "redis", origin: "--backend", url: null, db: null },
    ],
    [
      "a server, whatever pynenc's settings say",
      { url: URL },
      { PYNENC__SQLITE_DB_PATH: "/a.db", PYNENC__STATE_BACKEND_CLS: "SQLiteStateBackend" },
      { kind: "redis", origin: "--url", url: URL, db: null },
    ],
    [
      "a file, whatever classes the settings name",
      { backend: "sqlite" },
      { PYNENC__STATE_BACKEND_CLS: "MongoStateBackend" },
      { kind: "sqlite", origin: "--backend", url: null, db: null },
    ],
  ])("follows %s", (_, flags, env, { kind, origin, url, db }) => {
    const { options, settings } = resolveConfiguration({ flags, env, cwd: workspace() });
    expect(options.backend).toEqual({ value: kind, origin });
    expect([options.url.value, options.db.value]).toEqual([url, db]);
    expect(settings.store).toBe(kind);
  });

  it.each([
    [{ url: URL, db: "a.db" }, {}, "--url", "--db"],
    [{}, { PYNENC_MONITOR_URL: URL, PYNENC_MONITOR_DB: "a.db" }, "PYNENC_MONITOR_URL", "PYNENC_MONITOR_DB"],
    [{ url: URL, backend: "sqlite" }, {}, "--backend", "--url"],
    [{ db: "a.db", backend: "redis" }, {}, "--backend", "--db"],
  ])("%j %j is refused because two stores are named", (flags, env, parameter, other) => {
    const error = thrownBy(() => resolveConfiguration({ flags, env, cwd: workspace() }).options) as InvalidInputError;
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.problems.map((problem) => problem.parameter)).toEqual([parameter]);
    expect(error.message).toContain(other);
  });

  it.each([
    [
      "a class",
      { PYNENC__STATE_BACKEND_CLS: "RedisStateBackend" },
      "redis",
      "state_backend_cls (PYNENC__STATE_BACKEND_CLS)",
    ],
    [
      "a class of another component",
      { PYNENC__TRIGGER_CLS: "RedisTrigger" },
      "redis",
      "trigger_cls (PYNENC__TRIGGER_CLS)",
    ],
    [
      "a class before an address",
      { PYNENC__STATE_BACKEND_CLS: "SQLiteStateBackend", PYNENC__REDIS_HOST: "host" },
      "sqlite",
      "state_backend_cls (PYNENC__STATE_BACKEND_CLS)",
    ],
    [
      "a class, beside components in memory and a separate queue",
      {
        PYNENC__STATE_BACKEND_CLS: "RedisStateBackend",
        PYNENC__TRIGGER_CLS: "MemTrigger",
        PYNENC__BROKER_CLS: "RabbitMqBroker",
      },
      "redis",
      "state_backend_cls (PYNENC__STATE_BACKEND_CLS)",
    ],
    ["the address of a server", { PYNENC__REDIS_HOST: "host" }, "redis", "PYNENC__REDIS_HOST"],
    [
      "the address of a server for one component",
      { PYNENC__CONFIGBROKERREDIS__REDIS_URL: URL },
      "redis",
      "PYNENC__CONFIGBROKERREDIS__REDIS_URL",
    ],
    [
      "the path of a file before the address of a server",
      { PYNENC__SQLITE_DB_PATH: "a.db", PYNENC__REDIS_HOST: "host" },
      "sqlite",
      "default",
    ],
    ["the default if the address is empty", { PYNENC__REDIS_URL: "" }, "sqlite", "default"],
    ["the default if a class is the app's own", { PYNENC__BROKER_CLS: "OurBroker" }, "sqlite", "default"],
  ])("follows pynenc's settings: %s", (_, env, value, origin) => {
    expect(resolveConfiguration({ flags: {}, env, cwd: workspace() }).options.backend).toEqual({ value, origin });
  });

  it("is that of the state backend if components are in different kinds, and the settings say which are in another", () => {
    const cwd = workspace({
      "pyproject.toml":
        '[tool.pynenc]\nstate_backend_cls = "SQLiteStateBackend"\nbroker_cls = "RedisBroker"\ntrigger_cls = "RedisTrigger"\n',
    });
    const { options, settings } = resolveConfiguration({ flags: {}, env: {}, cwd });
    expect(options.backend).toEqual({ value: "sqlite", origin: "state_backend_cls (pyproject.toml [tool.pynenc])" });
    expect([...settings.beside]).toEqual([
      ["broker", "redis"],
      ["trigger", "redis"],
    ]);
    const named = resolveConfiguration({ flags: { url: URL }, env: {}, cwd });
    expect([named.options.backend.value, named.settings.beside.size]).toEqual(["redis", 0]);
  });

  it("is refused with RabbitMQ for anything but the broker", () => {
    const env = { PYNENC__STATE_BACKEND_CLS: "SQLiteStateBackend", PYNENC__TRIGGER_CLS: "RabbitMqTrigger" };
    expect(() => resolveConfiguration({ flags: {}, env, cwd: workspace() }).options).toThrow("RabbitMqTrigger");
  });
});
