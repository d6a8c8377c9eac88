import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSecretKey, MASK, maskAddress, maskSecrets, maskStored, maskText } from "../../src/config/masking.ts";

describe("secret keys", () => {
  it.each([
    "password",
    "redis_password",
    "PASSWD",
    "client_secret",
    "auth_token",
    "api_key",
    "apiKey",
    "X-API-Key",
    "apikey",
    "aws_access_key_id",
    "accessKey",
    "Authorization",
    "credentials",
    "private_key",
    "PRIVATE-KEY",
  ])("%s is masked", (key) => {
    expect(maskSecrets(key, "hunter2")).toBe(MASK);
    expect(maskSecrets(key, 12345)).toBe(MASK);
    expect(maskSecrets(key, ["hunter2"])).toBe(MASK);
    expect(maskSecrets(key, { inner: "hunter2" })).toBe(MASK);
  });

  it.each(["app_id", "key_arguments", "redis_username", "sqlite_db_path", "cached_status_time", "auth_source"])(
    "%s is shown",
    (key) => {
      expect(isSecretKey(key)).toBe(false);
      expect(maskSecrets(key, "value")).toBe("value");
    },
  );

  it("shows that a secret is not set", () => {
    expect(maskSecrets("redis_password", "")).toBe("");
    expect(maskSecrets("redis_password", null)).toBeNull();
  });
});

describe("text", () => {
  it.each([
    ["redis://user:pw@host:6379/0", `redis://${MASK}@host:6379/0`],
    ["redis://:pw@host", `redis://${MASK}@host`],
    ["amqp://u:p@h1,amqp://u:p@h2/v", `amqp://${MASK}@h1,amqp://${MASK}@h2/v`],
    ["see mongodb://u:p@ss@h:1,h2:2/db?x=1 there", `see mongodb://${MASK}@h:1,h2:2/db?x=1 there`],
    ["redis://:pa/ss?w#d@host/0", `redis://${MASK}@host/0`],
    ["redis://:12345/6@host", `redis://${MASK}@host`],
    ["https://h/p?token=abc&x=1", `https://h/p?token=${MASK}&x=1`],
    ["https://h/p?x=1&auth=abc#frag", `https://h/p?x=1&auth=${MASK}#frag`],
    ["https://h/p?password=abc;y=2", `https://h/p?password=${MASK};y=2`],
    ["https://h/cb#access_token=abc", `https://h/cb#access_token=${MASK}`],
    ["HTTPS://U:P@H", `HTTPS://${MASK}@H`],
  ])("masks %s", (text, shown) => {
    expect(maskText(text)).toBe(shown);
  });

  it.each([
    "http://host:8080/users/a@b.example",
    "http://host/p?page=2&author=me",
    "mail someone@example.org",
    "/var/lib/app.db",
    "https://h/p?token=",
  ])("leaves %s alone", (text) => {
    expect(maskText(text)).toBe(text);
  });

  it("cuts long text without exposing a password whose @ was cut off", () => {
    const shown = maskText(`${"x".repeat(4_070)} redis://user:hunter2hunter2hunter2@host`);
    expect(shown).not.toContain("hunter");
    expect(shown.endsWith("…")).toBe(true);
  });

  it("never shows the password of a URL, whatever surrounds it", () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,12}$/);
    const around = fc.string({ maxLength: 40 });
    fc.assert(
      fc.property(around, word, around, (before, user, after) => {
        const shown = maskText(`${before} redis://${user}:S3CR3T-VALUE@host/0 ${after}`);
        expect(shown).not.toContain("S3CR3T-VALUE");
      }),
    );
  });
});

describe("structures", () => {
  it("masks at every depth and keeps the shape", () => {
    const value = { a: [{ token: "t", url: "redis://:p@h" }], n: 1, b: false, none: null };
    expect(maskSecrets("config_values", value)).toEqual({
      a: [{ token: MASK, url: `redis://${MASK}@h` }],
      n: 1,
      b: false,
      none: null,
    });
  });

  it("ends on circular and very deep data", () => {
    const circular: Record<string, unknown> = { password: "hunter2" };
    circular.self = circular;
    const shown = JSON.stringify(maskSecrets("x", circular));
    expect(shown).not.toContain("hunter2");
    expect(shown).toContain("…");
  });

  it("bounds the number of entries, also over many containers", () => {
    const wide = Array.from({ length: 5_000 }, (_, index) => index);
    expect(maskSecrets("x", wide)).toHaveLength(201);
    const nested = Array.from({ length: 200 }, () => wide);
    expect(JSON.stringify(maskSecrets("x", nested)).length).toBeLessThan(50_000);
    expect(Object.keys(maskSecrets("x", Object.fromEntries(wide.map((n) => [`k${n}`, n]))) as object)).toHaveLength(
      201,
    );
  });

  it("keeps __proto__ as data and does not pollute", () => {
    const shown = maskSecrets("x", JSON.parse('{"__proto__": {"token": "t", "polluted": 1}}')) as object;
    expect(Object.hasOwn(shown, "__proto__")).toBe(true);
    expect(JSON.stringify(shown)).not.toContain('"t"');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("masks credentials in keys", () => {
    expect(maskSecrets("x", { "redis://:p@h": 1 })).toEqual({ [`redis://${MASK}@h`]: 1 });
  });

  it("stays printable for values that JSON lacks", () => {
    const date = new Date("2026-11-21T00:00:00Z");
    expect(JSON.stringify(maskSecrets("x", { big: 10n ** 20n, map: new Map(), date }))).toBe(
      '{"big":"100000000000000000000","map":"[object Map]","date":"2026-11-21T00:00:00.000Z"}',
    );
  });
});

describe("what is meant for an address", () => {
  it.each([
    ["redis://user:pw@host:6379/0", `redis://${MASK}@host:6379/0`],
    ["user:pw@host", `${MASK}@host`],
    ["redis://:p w@host", `redis://${MASK}@host`],
    ["redis://:p@w@host", `redis://${MASK}@host`],
    ["redis://:pw", `redis://:${MASK}`],
    ["host:pw", `host:${MASK}`],
    ["redis://host?password=pw", `redis://host?password=${MASK}`],
    ["redis://host:6379/0", "redis://host:6379/0"],
    ["redis://host:70000", "redis://host:70000"],
    ["redis://[::1]:6379/0", "redis://[::1]:6379/0"],
    ["unix:///run/redis.sock", "unix:///run/redis.sock"],
    ["", ""],
  ])("%s", (text, shown) => {
    expect(maskAddress(text)).toBe(shown);
    expect(maskSecrets("redis_url", text)).toBe(shown);
  });

  it("never shows what stands in front of the last @", () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^[A-Z]{12}$/), fc.string(), (before, secret, after) => {
        expect(maskAddress(`redis://${before}${secret}${after}@host`)).not.toContain(secret);
      }),
    );
  });
});

describe("what an app stored", () => {
  it.each([
    ["amount=12, password='hunter2', n=1", `amount=12, password=${MASK}, n=1`],
    ['{"api_key": "hunter2", "n": 1}', `{"api_key": ${MASK}, "n": 1}`],
    ['body="{\\"token\\": \\"hunter2\\", \\"n\\": 1}"', `body="{\\"token\\": ${MASK}, \\"n\\": 1}"`],
    ["token=hunter2&x=1", `token=${MASK}&x=1`],
    ["secret: hunter2", `secret: ${MASK}`],
    ['password="a\\"hunter2"', `password=${MASK}`],
    ["curl -H 'X: Bearer hunter2hunter2'", `curl -H 'X: Bearer ${MASK}'`],
    ["redis://me:hunter2@host:1/0", `redis://${MASK}@host:1/0`],
    ["https://host/?access_token=hunter2", `https://host/?access_token=${MASK}`],
    ["n=1, name='x'", "n=1, name='x'"],
    ["no secrets were told", "no secrets were told"],
    ["shop.reset_password:9f86d081884c7d659a2f", "shop.reset_password:9f86d081884c7d659a2f"],
    ["config.password:hunter2", `config.password:${MASK}`],
  ])("%s", (text, masked) => {
    expect(maskStored(text)).toBe(masked);
  });

  it("is not cut", () => {
    const long = "x".repeat(100_000);
    expect(maskStored(`${long} password=hunter2`)).toBe(`${long} password=${MASK}`);
  });
});
