import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskText } from "../../src/config/masked-text.ts";
import { maskAddress, maskSecrets, outgoing } from "../../src/config/masking.ts";
import { isSecretKey, MASK } from "../../src/config/secret-names.ts";
import { leaksIn, SECRET_FORMS, secretOf } from "../support/secrets.ts";

describe("the value under a key", () => {
  it.each([
    "password",
    "redis_password",
    "PASSWD",
    "passphrase",
    "client_secret",
    "auth_token",
    "api_key",
    "apiKey",
    "X-API-Key",
    "apikey",
    "aws_access_key_id",
    "accessKey",
    "AccountKey",
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

  it("of a secret is shown if it is empty or null", () => {
    expect(maskSecrets("redis_password", "")).toBe("");
    expect(maskSecrets("redis_password", null)).toBeNull();
  });
});

describe("URLs in a text", () => {
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
    [String.raw`"https:\/\/u:p@h\/x"`, String.raw`"https:\/\/${MASK}@h\/x"`],
  ])("are masked: %s", (text, shown) => {
    expect(maskText(text)).toBe(shown);
  });

  it.each([
    "http://host:8080/users/a@b.example",
    "http://host/p?page=2&author=me",
    "mail someone@example.org",
    "/var/lib/app.db",
    "https://h/p?token=",
    "docker://registry.example/shop:latest",
  ])("without a secret are left alone: %s", (text) => {
    expect(maskText(text)).toBe(text);
  });

  it("never show a password, whatever text is around them", () => {
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

describe("masked settings", () => {
  it("have masks at every depth and keep their shape", () => {
    const value = { a: [{ token: "t", url: "redis://:p@h" }], n: 1, b: false, none: null };
    expect(maskSecrets("config_values", value)).toEqual({
      a: [{ token: MASK, url: `redis://${MASK}@h` }],
      n: 1,
      b: false,
      none: null,
    });
  });

  it("are cut if they are circular or very deep", () => {
    const circular: Record<string, unknown> = { password: "hunter2" };
    circular.self = circular;
    const shown = JSON.stringify(maskSecrets("x", circular));
    expect(shown).not.toContain("hunter2");
    expect(shown).toContain("…");
  });

  it("are limited in number, also in many containers", () => {
    const wide = Array.from({ length: 5_000 }, (_, index) => index);
    expect(maskSecrets("x", wide)).toHaveLength(201);
    const nested = Array.from({ length: 200 }, () => wide);
    expect(JSON.stringify(maskSecrets("x", nested)).length).toBeLessThan(50_000);
    expect(Object.keys(maskSecrets("x", Object.fromEntries(wide.map((n) => [`k${n}`, n]))) as object)).toHaveLength(
      201,
    );
  });

  it("that are long were masked before they are cut", () => {
    const shown = maskSecrets("x", `${"x".repeat(4_080)} redis://user:hunter2hunter2hunter2@host and more`);
    expect(shown).not.toContain("hunter");
    expect(String(shown).endsWith("…")).toBe(true);
  });

  it("keep __proto__ as data, without changing prototypes", () => {
    const shown = maskSecrets("x", JSON.parse('{"__proto__": {"token": "t", "polluted": 1}}')) as object;
    expect(Object.hasOwn(shown, "__proto__")).toBe(true);
    expect(JSON.stringify(shown)).not.toContain('"t"');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("have masks in keys and in lists of arguments", () => {
    expect(maskSecrets("x", { "redis://:p@h": 1 })).toEqual({ [`redis://${MASK}@h`]: 1 });
    expect(maskSecrets("x", ["--password", "hunter2", "--fail"])).toEqual(["--password", MASK, "--fail"]);
  });

  it("stay printable if they contain values that JSON lacks", () => {
    const date = new Date("2026-11-21T00:00:00Z");
    expect(JSON.stringify(maskSecrets("x", { big: 10n ** 20n, map: new Map(), date }))).toBe(
      '{"big":"100000000000000000000","map":"[object Map]","date":"2026-11-21T00:00:00.000Z"}',
    );
  });
});

describe("an address with a secret", () => {
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
  ])("is shown as masked: %s", (text, shown) => {
    expect(maskAddress(text)).toBe(shown);
    expect(maskSecrets("redis_url", text)).toBe(shown);
  });

  it("is masked in everything before its last @", () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^[A-Z]{12}$/), fc.string(), (before, secret, after) => {
        expect(maskAddress(`redis://${before}${secret}${after}@host`)).not.toContain(secret);
      }),
    );
  });
});

describe("a text with secrets", () => {
  it.each([
    ["amount=12, password='hunter2', n=1", `amount=12, password='${MASK}', n=1`],
    ['{"api_key": "hunter2", "n": 1}', `{"api_key": "${MASK}", "n": 1}`],
    ['{"api_key": 12345, "n": 1}', `{"api_key": "${MASK}", "n": 1}`],
    ['body="{\\"token\\": \\"hunter2\\", \\"n\\": 1}"', `body="{\\"token\\": \\"${MASK}\\", \\"n\\": 1}"`],
    ["token=hunter2&x=1", `token=${MASK}&x=1`],
    ["secret: hunter2", `secret: ${MASK}`],
    ['password="a\\"hunter2"', `password="${MASK}"`],
    ["curl -H 'X: Bearer hunter2hunter2'", `curl -H 'X: Bearer ${MASK}'`],
    ["Authorization: Basic abc", `Authorization: ${MASK}`],
    ["--token x --token y", `--token ${MASK} --token ${MASK}`],
    ["q=n%3D1%20arg.password%3Dx%20y&m=2", `q=n%3D1%20arg.password%3D${MASK}%20y&m=2`],
    ["config.password:hunter2", `config.password:${MASK}`],
    ["\\nghp_aaaaaaaaaaaaaaaaaaaa9", `\\n${MASK}`],
    ["\x1b[31mAKIAIOSFODNN7EXAMPLE\x1b[0m", `\x1b[31m${MASK}\x1b[0m`],
    ["password=None", "password=None"],
  ])("is masked: %s", (text, masked) => {
    expect(maskText(text)).toBe(masked);
    expect(maskText(masked)).toBe(masked);
  });

  it.each([
    "n=1, name='x'",
    "no secrets were told",
    "shop.reset_password",
    "/tasks/shop.reset_password",
    "shop.reset_password:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "/calls/shop.reset_password%3A9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "shop.reset_password:no_args",
    "shop.reset_password:9f86d081…0a08",
    "shop.reset_password: 14 of 1,402 failed, and 0 of 12 in the day before.",
    "event#user.password#static_no_args",
    "__pynenc__client_data__:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "0e5f93a1-1b2c-4d3e-8f90-a1b2c3d4e5f6",
    "task-0e5f93a1-1b2c-4d3e-8f90-a1b2c3d4e5f6",
    "disk-9f86d081884c7d659a2feaa0c55ad015",
    "shop.task_test_integration12",
    "weighs_together_with_all_the_others",
    "Basic authentication is not supported",
    "region=ASIAPACIFIC",
    "/srv/shop/secrets/token.py:12",
    "2026-11-21T00:35:12.000000+00:00",
    "https://docs.example.org/a/b.html?page=2#c",
  ])("is left unchanged if it has none: %s", (text) => {
    expect(maskText(text)).toBe(text);
  });

  it("is not cut", () => {
    const long = "x".repeat(100_000);
    expect(maskText(`${long} password=hunter2`)).toBe(`${long} password=${MASK}`);
    expect(maskText(`password=hunter2 ${long}`)).toBe(`password=${MASK} ${long}`);
  });

  describe.each(SECRET_FORMS)("with $name", (form) => {
    const secret = secretOf(form, "a text");

    it("shows no part of it, alone, among words, in JSON or in a link", () => {
      const places = [
        secret.text,
        `Failed (${secret.text}), tried again`,
        `first\n${secret.text}\nlast`,
        JSON.stringify({ note: secret.text }),
        JSON.stringify({ note: JSON.stringify([`x\n${secret.text}`]) }),
        `/find?q=${encodeURIComponent(secret.text)}&x=1`,
        `/find?${new URLSearchParams({ q: `note ${secret.text}` })}`,
      ];
      for (const place of places) expect(leaksIn(maskText(place), [secret])).toEqual([]);
    });

    it("shows no part of it if the text was cut, at any character", () => {
      for (let length = 1; length < secret.text.length; length++) {
        const cut = secret.text.slice(0, length);
        // An argument of a line, a text marked by its object, and a long text that does not say that it was cut.
        const shown = [
          maskText(`${cut}…`),
          outgoing({ text: cut, truncated: true }).text,
          maskText("x ".repeat(500) + cut),
        ];
        for (const one of shown) expect(leaksIn(one, [secret])).toEqual([]);
      }
    });
  });

  it("is masked in time proportional to its length, whatever it contains", () => {
    const beginnings = [
      ...[
        "://",
        "://a:b",
        "://a@",
        "eyJ",
        "eyJaaaaaaaaaa.",
        "token=",
        "token: [",
        'token="',
        "a.token: [",
        "\\",
        '\\"',
      ],
      ...["%25", "%2525", "-----BEGIN PRIVATE KEY-----", "sk-", "AKIA", "ghp_", "p_", "--password ", '--password ", '],
      ...['a" ', "token=\\", "…", "token=…", "Bearer ", "?sig=", "@", "\x1b[", "A", "[", "a=", "AKIA…"],
    ];
    for (const beginning of beginnings) {
      const [long, short] = [800_000, 20_000].map((length) => beginning.repeat(length / beginning.length)) as [
        string,
        string,
      ];
      for (const whole of [long, `${short}@`, `token="${short}`, `token=[${short}`, `://a:b${short}`, `${short} …`])
        expect(maskText(whole)).toBeTypeOf("string");
    }
    // If the steps grew with the square of the length, one of them alone would take minutes.
  }, 120_000);

  it("is masked even if one value is as long as a log", () => {
    for (const value of ["a", "\\a", "%aa", "a.", "a@"])
      expect(maskText(`token=${value.repeat(4_000_000)}`).length).toBeLessThan(100);
  }, 300_000);
});

describe("an answer with secrets", () => {
  it("keeps its structure, and every value beside a secret name is masked", () => {
    const value = { form: "text", text: "hunter2", truncated: false, size: 7, note: null, reference: null };
    const answer = {
      invocation_id: "0e5f93a1-1b2c-4d3e-8f90-a1b2c3d4e5f6",
      call_id_key: "shop.reset_password:9f86d081884c7d659a2f",
      arguments: [
        { name: "password", value: { stored: value, resolved: null, dangling: false } },
        { name: "n", value: { stored: { ...value, text: "1" }, resolved: null, dangling: false } },
      ],
      payload: { api_key: ["k1", 2], n: 1 },
      sentence: "failed with: secret=abc",
      by_id: { customer_id: "https://u:hunter2@host/" },
      command: ["curl", "--password", "hunter2", "--fail"],
    };
    expect(outgoing(answer)).toEqual({
      ...answer,
      arguments: [
        { name: "password", value: { stored: { ...value, text: MASK }, resolved: null, dangling: false } },
        answer.arguments[1],
      ],
      payload: { api_key: [MASK, MASK], n: 1 },
      sentence: `failed with: secret=${MASK}`,
      by_id: { customer_id: `https://${MASK}@host/` },
      command: ["curl", "--password", MASK, "--fail"],
    });
  });

  it("has the value masked in its sentences and searches too, with blanks and commas", () => {
    const value = 'a, "hunter2" b';
    const argument = "login.password";
    const query = `region:eu arg.${argument}=${JSON.stringify(value)}`;
    const difference = {
      sentence: `${argument}=${value}: 12 of 40 here, 3 of 900 there`,
      values: [{ dimension: "argument", argument, value, words: `${argument}=${value}` }],
      query,
      path: `/invocations?${new URLSearchParams({ q: query })}`,
      filter: { conditions: [{ field: "arg", path: argument, values: [value], text: query }] },
    };
    const shown = outgoing(difference);
    expect(shown.sentence).toBe(`${argument}=${MASK}: 12 of 40 here, 3 of 900 there`);
    expect(shown.values).toEqual([{ dimension: "argument", argument, value: MASK, words: `${argument}=${MASK}` }]);
    expect(shown.query).toBe(`region:eu arg.${argument}="${MASK}"`);
    expect(shown.path).toContain(MASK);
    expect(shown.filter.conditions[0]).toMatchObject({ path: argument, values: [MASK] });
    expect(JSON.stringify(shown)).not.toContain("hunter2");
  });

  it("keeps the names of tasks in its sentences unchanged", () => {
    const answer = { task_id_key: "shop.reset_password", sentence: "shop.reset_password: run time 3 times as long" };
    expect(outgoing(answer)).toEqual(answer);
    // An argument has a name as well, and what follows it may be its value.
    const other = { argument: "shop.reset_password", sentence: "shop.reset_password: hunter2" };
    expect(outgoing(other).sentence).toBe(`shop.reset_password: ${MASK}`);
  });

  it("has an unquoted value masked up to the next argument of the line", () => {
    const row = { arguments: "n=1, password=correct horse, battery, x=2, token=cut off …" };
    expect(outgoing(row)).toEqual({ arguments: `n=1, password=${MASK}, x=2, token=${MASK}…` });
  });

  it("has secrets masked in the names of its members", () => {
    const secret = secretOf({ name: "a key", text: (body) => `ghp_${body.mixed(36)}` }, "a name");
    expect(outgoing({ [secret.text]: 1 })).toEqual({ [MASK]: 1 });
  });
});
