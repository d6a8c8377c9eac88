import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { discoverStore } from "../../src/config/discovery.ts";
import { parseMongoUrl } from "../../src/config/mongo-address.ts";
import { type OptionFlags, resolveConfiguration } from "../../src/config/options.ts";
import type { Environment } from "../../src/config/setting-sources.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { anyText } from "../support/any-text.ts";
import { thrownBy, workspace } from "./workspace.ts";

function servers(env: Environment = {}, flags: OptionFlags = { backend: "mongodb" }) {
  const cwd = workspace();
  const { options, settings } = resolveConfiguration({ flags, env, cwd });
  const found = discoverStore({ options, settings, cwd });
  if (found.kind !== "mongodb") throw new Error(`expected MongoDB servers, found ${found.kind}`);
  return found;
}

describe("the option --url for MongoDB", () => {
  it.each([
    ["mongodb://host", "mongodb://host:27017/", "mongodb://host:27017/pynenc"],
    [" MongoDB://Host:1/ ", "mongodb://host:1/", "mongodb://host:1/pynenc"],
    ["mongodb://user:p%40w@[::1]:7000", "mongodb://user:p%40w@[::1]:7000/", "mongodb://[::1]:7000/pynenc"],
    ["mongodb://user:100%@host", "mongodb://user:100%25@host:27017/", "mongodb://host:27017/pynenc"],
    ["mongodb://user:a@b:c@host", "mongodb://user:a%40b%3Ac@host:27017/", "mongodb://host:27017/pynenc"],
    ["mongodb://a,B:2,c", "mongodb://a:27017,b:2,c:27017/", "mongodb://a:27017,b:2,c:27017/pynenc"],
    [
      "mongodb+srv://me:pw@Cluster.example.net",
      "mongodb+srv://me:pw@cluster.example.net/",
      "mongodb+srv://cluster.example.net/pynenc",
    ],
    [
      "mongodb://host/users?replicaSet=rs0&readPreference=secondaryPreferred",
      "mongodb://host:27017/users?replicaSet=rs0&readPreference=secondaryPreferred",
      "mongodb://host:27017/pynenc",
    ],
  ])("is read from %s", (text, url, location) => {
    expect(parseMongoUrl(text)).toEqual({ url });
    expect(servers({}, { url: text }).endpoints.trigger).toMatchObject({
      url,
      location,
      database: "pynenc",
      origin: "--url",
    });
  });

  it.each([
    ["mongodb://", "it must be mongodb://"],
    ["mongodb://user:hunter2@", "it must be mongodb://"],
    ["mongodb://user:hunter2@host:0", "from 1 to 65535"],
    ["mongodb://user:hunter2@host:70000", "from 1 to 65535"],
    ["mongodb://user:hunter2@a,,b", "it must be mongodb://"],
    ["mongodb://user:hunter2/x@host", "percent-encoded"],
    ["mongodb://user:hunter2@%2Frun%2Fmongodb.sock", "it must be mongodb://"],
    ["mongodb+srv://user:hunter2@a,b", "mongodb+srv:// with one name"],
    ["mongodb+srv://user:hunter2@a:27017", "mongodb+srv:// with one name"],
    ["mongodb://user:hunter2@host/?uuidRepresentation=standard", "it has the option uuidRepresentation; accepted are"],
    ["mongodb://user:hunter2@host/#x", "percent-encoded"],
  ])("is refused: %s", (url, accepted) => {
    const error = thrownBy(() => resolveConfiguration({ flags: { url }, env: {}, cwd: workspace() }));
    expect(error).toBeInstanceOf(InvalidInputError);
    const { message, hint, problems } = error as InvalidInputError;
    expect(problems[0]?.accepted).toContain(accepted);
    expect(JSON.stringify([message, hint, problems])).not.toContain("hunter2");
  });

  it("sends any user and password to the server and shows neither", () => {
    const word = anyText({ minLength: 1 });
    fc.assert(
      fc.property(word, word, (user, password) => {
        const given = `mongodb://${encodeURIComponent(user)}:${encodeURIComponent(password)}@host`;
        const parsed = parseMongoUrl(given);
        if (typeof parsed === "string") throw new Error(parsed);
        const [, name = "", kept = ""] = /^mongodb:\/\/([^:@]*):([^:@]*)@host:27017\/$/.exec(parsed.url) ?? [];
        expect([decodeURIComponent(name), decodeURIComponent(kept)]).toEqual([user, password]);
        expect(servers({}, { url: given }).endpoints.broker.location).toBe("mongodb://host:27017/pynenc");
      }),
    );
  });

  it("overrides the server of pynenc's settings, but not their database", () => {
    const env = { PYNENC__MONGO_HOST: "other", PYNENC__MONGO_DB: "shop" };
    expect(servers(env, { url: "mongodb://host/users" }).endpoints.broker).toMatchObject({
      url: "mongodb://host:27017/users",
      location: "mongodb://host:27017/shop",
      database: "shop",
    });
  });
});

describe("pynenc's settings for MongoDB", () => {
  it("have this machine as the default", () => {
    const { endpoints, origin } = servers();
    for (const endpoint of Object.values(endpoints)) {
      expect(endpoint).toEqual({
        url: "mongodb://localhost:27017/",
        location: "mongodb://localhost:27017/pynenc",
        database: "pynenc",
        connectTimeout: 10,
        timeout: 10,
        origin: "default",
      });
    }
    expect(origin).toBe("--backend, default address");
  });

  it("give a URL from host, port, user, password and the database that knows the user", () => {
    const env = {
      PYNENC__MONGO_HOST: "Data.internal",
      PYNENC__MONGO_PORT: "7000",
      PYNENC__MONGO_DB: "shop",
      PYNENC__MONGO_USERNAME: "me",
      PYNENC__MONGO_PASSWORD: "p@ss/w?rd#%",
      PYNENC__MONGO_AUTH_SOURCE: "users",
    };
    expect(servers(env).endpoints.broker).toMatchObject({
      url: "mongodb://me:p%40ss%2Fw%3Frd%23%25@data.internal:7000/?authSource=users",
      location: "mongodb://data.internal:7000/shop",
      origin: Object.keys(env).join(", "),
    });
  });

  it("may list several hosts, and hosts with IPv6 addresses", () => {
    const env = { PYNENC__MONGO_HOST: "a, b:2, ::1", PYNENC__MONGO_PORT: "7000" };
    expect(servers(env).endpoints.broker.url).toBe("mongodb://a:7000,b:2,[::1]:7000/");
  });

  it("read a URL as pynenc's driver does: it overrides host and user, and options of Python are left out", () => {
    const env = {
      PYNENC__MONGO_HOST: "ignored",
      PYNENC__MONGO_USERNAME: "ignored",
      PYNENC__MONGO_URL: "mongodb://me:secret@host/users?tz_aware=true&replicaSet=rs0",
    };
    expect(servers(env).endpoints.broker).toMatchObject({
      url: "mongodb://me:secret@host:27017/users?replicaSet=rs0",
      location: "mongodb://host:27017/pynenc",
      origin: "PYNENC__MONGO_URL",
    });
  });

  it("may name another server or database for a component", () => {
    const { endpoints } = servers({
      PYNENC__MONGO_HOST: "data",
      PYNENC__CONFIGBROKERMONGO__MONGO_HOST: "queue",
      PYNENC__CONFIGTRIGGERMONGO__MONGO_DB: "triggers",
    });
    expect([endpoints.broker.location, endpoints.trigger.location, endpoints.orchestrator.location]).toEqual([
      "mongodb://queue:27017/pynenc",
      "mongodb://data:27017/triggers",
      "mongodb://data:27017/pynenc",
    ]);
  });

  it("choose the kind of store by the classes of components, or by the server alone", () => {
    const kindOf = (env: Environment) => resolveConfiguration({ flags: {}, env, cwd: workspace() }).options.backend;
    expect(kindOf({ PYNENC__STATE_BACKEND_CLS: "MongoStateBackend" })).toMatchObject({ value: "mongodb" });
    expect(kindOf({ PYNENC__MONGO_URL: "mongodb://host" })).toEqual({ value: "mongodb", origin: "PYNENC__MONGO_URL" });
  });

  it.each([
    ["MONGO_URL", "redis://user:hunter2@host", "it must be mongodb://"],
    ["MONGO_HOST", "user:hunter2@host", "it must be a host name"],
    ["MONGO_PORT", "0", "it must be a port"],
    ["MONGO_DB", "a/b", "it must be the name of a database"],
  ])("are refused: %s %s", (name, value, accepted) => {
    const error = thrownBy(() => servers({ [`PYNENC__${name}`]: value })) as InvalidInputError;
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.problems[0]?.accepted).toContain(accepted);
    expect(JSON.stringify([error.message, error.hint, error.problems])).not.toContain("hunter2");
  });
});
