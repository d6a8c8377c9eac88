import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { effectiveSettings } from "../../src/config/pynenc-sources.ts";
import { type Environment, type SettingsInput, sectionOf } from "../../src/config/setting-sources.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { SETTINGS } from "../../src/pynenc/settings.ts";
import { thrownBy, workspace } from "./workspace.ts";

type Files = Record<string, string>;

interface Given {
  files?: Files;
  env?: Environment;
  config?: string;
  values?: Record<string, unknown>;
}

function settingsOf({ files = {}, env = {}, config, values }: Given) {
  const input: SettingsInput = {
    cwd: workspace(files),
    env,
    configFile: config === undefined ? null : { path: config, namedBy: "--config" },
    appInfo: values === undefined ? null : { config_values: values },
  };
  return effectiveSettings(input);
}

const pyproject = (body: string): Files => ({ "pyproject.toml": body });
const json = (value: unknown) => JSON.stringify(value);

describe("the precedence of sources, lowest first", () => {
  // Each step adds one source above all earlier ones.
  const steps: { add: Given; value: string; origin: string }[] = [
    { add: {}, value: "pynenc", origin: "default" },
    { add: { values: { app_id: "1" } }, value: "1", origin: "app_info" },
    { add: { values: { app_id: "1", pynenc: { app_id: "1s" } } }, value: "1s", origin: "app_info [pynenc]" },
    {
      add: { files: pyproject('[tool.pynenc]\napp_id = "2"') },
      value: "2",
      origin: "pyproject.toml [tool.pynenc]",
    },
    {
      add: { files: pyproject('[tool.pynenc]\napp_id = "2"\n[tool.pynenc.pynenc]\napp_id = "2s"') },
      value: "2s",
      origin: "pyproject.toml [tool.pynenc.pynenc]",
    },
    { add: { config: "c.json", files: { "c.json": json({ app_id: "3" }) } }, value: "3", origin: "c.json (--config)" },
    {
      add: { files: { "c.json": json({ app_id: "3", pynenc: { app_id: "3s" } }) } },
      value: "3s",
      origin: "c.json [pynenc] (--config)",
    },
    {
      add: { env: { PYNENC__FILEPATH: "d.yaml" }, files: { "d.yaml": "app_id: '4'" } },
      value: "4",
      origin: "d.yaml (PYNENC__FILEPATH)",
    },
    {
      add: { env: { PYNENC__CONFIGPYNENC__FILEPATH: "e.toml" }, files: { "e.toml": 'app_id = "5"' } },
      value: "5",
      origin: "e.toml (PYNENC__CONFIGPYNENC__FILEPATH)",
    },
    { add: { env: { PYNENC__APP_ID: "6" } }, value: "6", origin: "PYNENC__APP_ID" },
    { add: { env: { PYNENC__CONFIGPYNENC__APP_ID: "7" } }, value: "7", origin: "PYNENC__CONFIGPYNENC__APP_ID" },
  ];

  it.each(steps.map((step, index) => [index, step.origin, step.value] as const))(
    "at step %i is %s",
    (index, origin, value) => {
      const given: Given = {};
      for (const { add } of steps.slice(0, index + 1)) {
        given.files = { ...given.files, ...add.files };
        given.env = { ...given.env, ...add.env };
        if (add.config !== undefined) given.config = add.config;
        if (add.values !== undefined) given.values = add.values;
      }
      expect(settingsOf(given).get("app_id")).toMatchObject({ value, origin });
    },
  );
});

describe("a setting of one task", () => {
  const TASK = "shop.orders.ship";
  const FIELD = "registration_concurrency";
  const of = (given: Given) => settingsOf(given).ofTask(TASK, FIELD);
  // Each step adds one place above all earlier ones.
  const body = (ofAll: string) => `[tool.pynenc]\n${FIELD} = "keys"\n${ofAll}`;
  const section = `[tool.pynenc.task]\n${FIELD} = "task"\n`;
  const ofTask = `[tool.pynenc.task."${TASK}"]\n${FIELD} = "arguments"\n`;
  const environment = { PYNENC__REGISTRATION_CONCURRENCY: "disabled" };
  const ofClass = { ...environment, PYNENC__CONFIGTASK__REGISTRATION_CONCURRENCY: "task" };
  const ofTaskAlone = { ...ofClass, "PYNENC__CONFIGTASK__SHOP.ORDERS#SHIP__REGISTRATION_CONCURRENCY": "keys" };

  it.each<[Given, string, string]>([
    [{ files: pyproject(body("")) }, "keys", "pyproject.toml [tool.pynenc]"],
    [{ files: pyproject(body(section)) }, "task", "pyproject.toml [tool.pynenc.task]"],
    [{ files: pyproject(body(section + ofTask)) }, "arguments", `pyproject.toml [tool.pynenc.task."${TASK}"]`],
    [
      { files: { "c.yaml": `task:\n  ${TASK}:\n    ${FIELD}: keys`, ...pyproject(body(ofTask)) }, config: "c.yaml" },
      "keys",
      `c.yaml [task."${TASK}"] (--config)`,
    ],
    [{ files: pyproject(body(ofTask)), env: environment }, "disabled", "PYNENC__REGISTRATION_CONCURRENCY"],
    // Sections win over the options in the task's code, and files over both.
    [{ values: { [FIELD]: "disabled", task: { [FIELD]: "task" } } }, "task", "app_info [task]"],
    [{ values: { task: { [FIELD]: "task", [TASK]: { [FIELD]: "keys" } } } }, "keys", `app_info [task."${TASK}"]`],
    [
      { values: { task: { [TASK]: { [FIELD]: "keys" } } }, files: pyproject(body("")) },
      "keys",
      "pyproject.toml [tool.pynenc]",
    ],
    [{ env: ofClass }, "task", "PYNENC__CONFIGTASK__REGISTRATION_CONCURRENCY"],
    [{ env: ofTaskAlone }, "keys", "PYNENC__CONFIGTASK__SHOP.ORDERS#SHIP__REGISTRATION_CONCURRENCY"],
  ])("has the value of the highest source, case %#: %j", (given, value, origin) => {
    expect(of(given)).toMatchObject({ value, origin, config_class: "ConfigTask" });
  });

  it.each<Given>([
    {},
    // The options in the task's code win over this.
    { values: { [FIELD]: "task" } },
    { files: pyproject(`[tool.pynenc.task."shop.orders.pack"]\n${FIELD} = "task"`) },
    { files: pyproject(`[tool.pynenc]\ntask = "${FIELD}"`) },
    { env: { "PYNENC__CONFIGTASK__SHOP.ORDERS#PACK__REGISTRATION_CONCURRENCY": "keys" } },
  ])("is null in case %#: %j", (given) => {
    expect(of(given)).toBeNull();
  });

  it("is null for a field that tasks do not have, and the general one for an invalid task key", () => {
    const given = { env: { PYNENC__SQLITE_DB_PATH: "a.db", ...environment } };
    expect(settingsOf(given).ofTask(TASK, "sqlite_db_path")).toBeNull();
    expect(settingsOf(given).ofTask("no task", FIELD)?.value).toBe("disabled");
  });
});

describe("the address of a component inherited from its classes", () => {
  const BROKER = "brokersqlite";
  const cases: [rule: string, given: Given, value: string, origin: string][] = [
    [
      "the shared section serves a component",
      { files: pyproject('[tool.pynenc.sqlite]\nsqlite_db_path = "a"') },
      "a",
      "pyproject.toml [tool.pynenc.sqlite]",
    ],
    [
      "the component's own section beats the shared one",
      { files: pyproject(`[tool.pynenc.sqlite]\nsqlite_db_path = "a"\n[tool.pynenc.${BROKER}]\nsqlite_db_path = "b"`) },
      "b",
      "pyproject.toml [tool.pynenc.brokersqlite]",
    ],
    [
      "a plain key serves every component",
      { files: pyproject('[tool.pynenc]\nsqlite_db_path = "a"') },
      "a",
      "pyproject.toml [tool.pynenc]",
    ],
    [
      "the variable of a parent class serves a component",
      { env: { PYNENC__CONFIGSQLITE__SQLITE_DB_PATH: "parent" } },
      "parent",
      "PYNENC__CONFIGSQLITE__SQLITE_DB_PATH",
    ],
    [
      "the general variable beats the one of a parent class",
      { env: { PYNENC__SQLITE_DB_PATH: "general", PYNENC__CONFIGSQLITE__SQLITE_DB_PATH: "parent" } },
      "general",
      "PYNENC__SQLITE_DB_PATH",
    ],
    [
      "the variable of the class beats the general one",
      { env: { PYNENC__SQLITE_DB_PATH: "general", PYNENC__CONFIGBROKERSQLITE__SQLITE_DB_PATH: "own" } },
      "own",
      "PYNENC__CONFIGBROKERSQLITE__SQLITE_DB_PATH",
    ],
    [
      "a section of the class in a file beats the variable of a parent class",
      {
        files: pyproject(`[tool.pynenc.${BROKER}]\nsqlite_db_path = "own"`),
        env: { PYNENC__CONFIGSQLITE__SQLITE_DB_PATH: "parent" },
      },
      "own",
      "pyproject.toml [tool.pynenc.brokersqlite]",
    ],
    [
      "a section of the class in config_values beats the variable of a parent class",
      {
        values: { [BROKER]: { sqlite_db_path: "own" } },
        env: { PYNENC__CONFIGSQLITE__SQLITE_DB_PATH: "parent" },
      },
      "own",
      "app_info [brokersqlite]",
    ],
    [
      "no section beats the general variable",
      {
        files: pyproject(`[tool.pynenc.${BROKER}]\nsqlite_db_path = "own"`),
        env: { PYNENC__SQLITE_DB_PATH: "general" },
      },
      "general",
      "PYNENC__SQLITE_DB_PATH",
    ],
    [
      "a plain key that a parent used is not applied again over the parent's variable",
      {
        files: pyproject('[tool.pynenc]\nsqlite_db_path = "plain"'),
        env: { PYNENC__CONFIGSQLITE__SQLITE_DB_PATH: "parent" },
      },
      "parent",
      "PYNENC__CONFIGSQLITE__SQLITE_DB_PATH",
    ],
    [
      "the file of a parent class counts",
      { files: { "p.json": json({ sqlite_db_path: "p" }) }, env: { PYNENC__CONFIGSQLITE__FILEPATH: "p.json" } },
      "p",
      "p.json (PYNENC__CONFIGSQLITE__FILEPATH)",
    ],
    [
      "a plain key in the file of the class is ignored behind one in the file of a parent class",
      {
        files: { "p.json": json({ sqlite_db_path: "p" }), "o.json": json({ sqlite_db_path: "o" }) },
        env: { PYNENC__CONFIGSQLITE__FILEPATH: "p.json", PYNENC__CONFIGBROKERSQLITE__FILEPATH: "o.json" },
      },
      "p",
      "p.json (PYNENC__CONFIGSQLITE__FILEPATH)",
    ],
    [
      "a section in the file of the class is not ignored behind one in the file of a parent class",
      {
        files: { "p.json": json({ sqlite_db_path: "p" }), "o.json": json({ [BROKER]: { sqlite_db_path: "o" } }) },
        env: { PYNENC__CONFIGSQLITE__FILEPATH: "p.json", PYNENC__CONFIGBROKERSQLITE__FILEPATH: "o.json" },
      },
      "o",
      "o.json [brokersqlite] (PYNENC__CONFIGBROKERSQLITE__FILEPATH)",
    ],
    [
      "variables of other components do not count",
      {
        env: {
          PYNENC__CONFIGTRIGGERSQLITE__SQLITE_DB_PATH: "trigger",
          PYNENC__CONFIGBROKER__SQLITE_DB_PATH: "no field",
        },
      },
      "",
      "default",
    ],
  ];

  it.each(cases)("%s", (_, given, value, origin) => {
    expect(settingsOf(given).addresses("sqlite").get("broker")?.get("sqlite_db_path")).toMatchObject({
      field: "sqlite_db_path",
      config_class: "ConfigBrokerSQLite",
      value,
      origin,
    });
  });

  it.each([
    ["broker", "brokersqlite"],
    ["orchestrator", "orchestratorsqlite"],
    ["state_backend", "statebackendsqlite"],
    ["client_data_store", "clientdatastoresqlite"],
    ["trigger", "triggersqlite"],
  ] as const)("is read for %s from its own section and variable", (component, section) => {
    const own = settingsOf({ files: pyproject(`[tool.pynenc.${section}]\nsqlite_db_path = "own"`) });
    for (const [name, setting] of own.addresses("sqlite"))
      expect(setting.get("sqlite_db_path")?.value).toBe(name === component ? "own" : "");
    const variable = `PYNENC__CONFIG${section.toUpperCase()}__SQLITE_DB_PATH`;
    expect(
      settingsOf({ env: { [variable]: "v" } })
        .addresses("sqlite")
        .get(component)
        ?.get("sqlite_db_path"),
    ).toMatchObject({
      value: "v",
      origin: variable,
    });
  });

  it("uses the component class for SQLite that apps use", () => {
    const settings = settingsOf({
      files: pyproject("[tool.pynenc.orchestrator]\nauto_final_invocation_purge_hours = 12.0"),
      env: { PYNENC__CONFIGORCHESTRATORSQLITE__AUTO_FINAL_INVOCATION_PURGE_HOURS: "6" },
    });
    expect(settings.get("orchestrator.auto_final_invocation_purge_hours")).toMatchObject({
      value: 6,
      origin: "PYNENC__CONFIGORCHESTRATORSQLITE__AUTO_FINAL_INVOCATION_PURGE_HOURS",
    });
  });
});

describe("the values of settings", () => {
  it("exist for every setting, by section and by name", () => {
    const settings = settingsOf({});
    expect([...settings].length).toBe(SETTINGS.length);
    for (const { section, field, default: byDefault } of SETTINGS) {
      expect(settings.get(`${section}.${field}`)).toMatchObject({
        field,
        value: byDefault,
        origin: "default",
        warning: null,
      });
      expect(settings.values().has(field)).toBe(true);
    }
  });

  it("are converted from text, with a warning for text that Python reads as true", () => {
    const settings = settingsOf({
      env: { PYNENC__EVENT_RETENTION_DAYS: "3", PYNENC__CACHED_STATUS_TIME: "0.5", PYNENC__ENABLE_SCHEDULER: "false" },
    });
    expect(settings.get("event_retention_days")).toMatchObject({ value: 3, warning: null });
    expect(settings.get("cached_status_time")).toMatchObject({ value: 0.5, warning: null });
    const scheduler = settings.get("enable_scheduler");
    expect(scheduler?.value).toBe(true);
    expect(scheduler?.warning).not.toBeNull();
  });

  it("include a variable that is set to an empty text, as in pynenc", () => {
    expect(settingsOf({ env: { PYNENC__APP_ID: "" } }).get("app_id")).toMatchObject({
      value: "",
      origin: "PYNENC__APP_ID",
    });
  });

  it("stay right with malformed config_values", () => {
    const values = JSON.parse('{"__proto__": {"app_id": "x"}, "pynenc": "text", "sqlite": [1], "trigger": null}');
    expect(settingsOf({ values }).get("app_id")).toMatchObject({ value: "pynenc", origin: "default" });
    expect(settingsOf({ values: [] as never }).get("app_id")?.origin).toBe("default");
  });

  it("have sections named as in pynenc", () => {
    expect(sectionOf("ConfigClientDataStoreSQLite")).toBe("clientdatastoresqlite");
  });
});

describe("configuration files", () => {
  it.each([
    ["a.toml", 'app_id = "x"'],
    ["a.TOML", 'app_id = "x"'],
    ["a.yaml", "app_id: x"],
    ["a.yml", "pynenc:\n  app_id: x"],
    ["a.json", '{"app_id": "x"}'],
    ["bom.json", '\uFEFF{"app_id": "x"}'],
    ["sub/pyproject.toml", '[tool.pynenc]\napp_id = "x"'],
    ["merged.yaml", "base: &base {app_id: x}\npynenc:\n  <<: *base"],
  ])("are read from %s", (name, text) => {
    expect(settingsOf({ files: { [name]: text }, config: name }).get("app_id")?.value).toBe("x");
  });

  it.each([
    ["a pyproject.toml without pynenc", pyproject('[project]\nname = "x"\n[tool.other]\nbig = 12345678901234567890')],
    ["no pyproject.toml at all", {}],
    ["a pyproject.toml in a folder above or below", { "sub/pyproject.toml": '[tool.pynenc]\napp_id = "x"' }],
    ["an empty YAML file", { "pynenc.yaml": "" }],
  ])("are ignored: %s", (_, files) => {
    const config = "pynenc.yaml" in files ? { config: "pynenc.yaml" } : {};
    expect(settingsOf({ files, ...config }).get("app_id")?.origin).toBe("default");
  });

  it("in TOML under another name are read from their root, not from [tool.pynenc]", () => {
    const files = { "a.toml": '[tool.pynenc]\napp_id = "x"' };
    expect(settingsOf({ files, config: "a.toml" }).get("app_id")?.origin).toBe("default");
  });

  it("are ignored if pyproject.toml is a directory, unless that is named", () => {
    const cwd = workspace();
    mkdirSync(join(cwd, "pyproject.toml"));
    const input: SettingsInput = { cwd, env: {}, configFile: null, appInfo: null };
    expect(effectiveSettings(input).get("app_id")?.origin).toBe("default");
    const env = { PYNENC__FILEPATH: "pyproject.toml" };
    expect(thrownBy(() => effectiveSettings({ ...input, env }))).toBeInstanceOf(InvalidInputError);
  });

  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
  for (const [name, before] of ["ba", "cb", "dc", "ed", "fe", "gf"].map((pair) => [...pair])) {
    bomb.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(",")}]`);
  }

  it.each([
    ["a.toml", 'x = 1\napp_id = "secret-text', "valid TOML (line 2: ", "Correct line 2 of a.toml"],
    ["a.yaml", "x: 1\ny: [secret-text", "valid YAML (line 2: ", "Correct line 2 of a.yaml"],
    ["dup.yaml", "x: 1\nx: 2", "valid YAML (line 2: ", "Correct line 2 of dup.yaml"],
    ["tag.yaml", "x: !!python/object/apply:os.system [ls]", "valid YAML (line 1: ", "Correct line 1 of tag.yaml"],
    ["bomb.yaml", bomb.join("\n"), "valid YAML (", "Correct bomb.yaml"],
    ["deep.yaml", "[".repeat(20_000), "valid YAML (", "deep.yaml"],
    ["a.json", '{\n"password": "secret-text"\n oops}', "valid JSON (line 3: ", "Correct line 3 of a.json"],
    ["token.json", '{"password": secret-text}', "valid JSON (Unexpected token 's')", "Correct token.json"],
    ["end.json", '{"a":\n', "valid JSON (line 1: ", "Correct line 1 of end.json"],
    ["list.json", "[1]", "a table of settings at its top level", "--config"],
    ["scalar.yaml", "text", "a table of settings at its top level", "--config"],
    ["pyproject.toml", "[tool]\npynenc = 1", "[tool.pynenc] in it must be a table", "--config"],
    ["a.ini", "x=1", "must end in .toml, .yaml, .yml or .json", "--config"],
    ["latin1.json", Buffer.from([0x22, 0xe9, 0x22]) as unknown as string, "must be UTF-8 text", "--config"],
    ["large.json", " ".repeat(1_048_577), "smaller than 1 MB", "--config"],
  ])("are refused in %s with the place and a hint", (name, text, accepted, hint) => {
    const files: Files = name === "pyproject.toml" ? { "sub/pyproject.toml": text } : { [name]: text };
    const config = name === "pyproject.toml" ? "sub/pyproject.toml" : name;
    const error = thrownBy(() => settingsOf({ files, config }));
    expect(error).toBeInstanceOf(InvalidInputError);
    const { problems, hint: advice, message } = error as InvalidInputError;
    expect(problems).toMatchObject([{ parameter: "--config", value: config }]);
    expect(problems[0]?.accepted).toContain(accepted);
    expect(advice).toContain(hint);
    expect(message).not.toContain("secret-text");
  });

  it.each(["PYNENC__FILEPATH", "PYNENC__CONFIGSQLITE__FILEPATH", "PYNENC__CONFIGTRIGGERSQLITE__FILEPATH"])(
    "are refused if they are missing, with the name %s",
    (variable) => {
      const error = thrownBy(() => settingsOf({ env: { [variable]: "gone.json" } })) as InvalidInputError;
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error.problems).toEqual([
        { parameter: variable, value: "gone.json", accepted: "it must name an existing file" },
      ]);
    },
  );

  it("are refused if pyproject.toml is malformed, even if it was not named", () => {
    const error = thrownBy(() => settingsOf({ files: pyproject("[tool.pynenc\n") })) as InvalidInputError;
    expect(error.message).toContain("pyproject.toml");
    expect(error.hint).toBe("Correct line 1 of pyproject.toml and start again.");
  });

  it("are not named by an empty FILEPATH variable", () => {
    expect(settingsOf({ env: { PYNENC__FILEPATH: "" } }).get("app_id")?.origin).toBe("default");
  });

  it("are not waited for if they are a pipe or a device", () => {
    const error = thrownBy(() => settingsOf({ env: { PYNENC__FILEPATH: "/dev/zero" } })) as InvalidInputError;
    expect(error.message).toContain("not a directory or a device");
  });
});
