import { describe, expect, it } from "vitest";
import { type OptionFlags, resolveConfiguration } from "../../src/config/options.ts";
import { isLoopback, refuseReachableHost, servedOptions } from "../../src/config/reachable-host.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { thrownBy, workspace } from "./workspace.ts";

describe("an address of this machine only", () => {
  it.each(["127.0.0.1", "127.9.9.9", "localhost", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"])(
    "is recognised in %s",
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each([
    "0.0.0.0",
    "::",
    "::ffff:0.0.0.0",
    "10.0.0.1",
    "192.168.1.5",
    "fe80::1%eth0",
    "monitor.internal",
    "127.example.com",
    "localhost.example.com",
  ])("is not recognised in %s", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

describe("an address that others can reach", () => {
  const served = (flags: OptionFlags, env = {}) =>
    servedOptions(resolveConfiguration({ flags, env, cwd: workspace() }).options);
  const check = (flags: OptionFlags, env = {}) => refuseReachableHost(served(flags, env));

  it("is refused with the reason and a better way, under the name of its source", () => {
    const error = thrownBy(() => check({ host: "0.0.0.0", allowActions: true })) as InvalidInputError;
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toBe(
      '--host: "0.0.0.0" is not accepted; anyone who can reach this port can read all data, run tasks again and purge the app, because there is no token',
    );
    expect(error.hint).toContain("leave --host out");
    expect(error.hint).toContain("ssh -L 8000:127.0.0.1:8000");
    expect(error.hint).toMatch(/^Add --token auto, put a token into PYNENC_MONITOR_TOKEN, or .* --token-file\. /);
    expect(error.hint).toContain("--no-token");
    const named = thrownBy(() => check({ port: 9000 }, { PYNENC_MONITOR_HOST: "::" })) as InvalidInputError;
    expect(named.problems).toEqual([{ parameter: "PYNENC_MONITOR_HOST", value: "::", accepted: expect.any(String) }]);
    expect(named.hint).toContain("leave PYNENC_MONITOR_HOST out");
    expect(named.hint).toContain("ssh -L 9000:127.0.0.1:9000");
  });

  it("is not described as allowing a purge, as nothing can be changed by default", () => {
    const error = thrownBy(() => check({ host: "0.0.0.0", port: "auto" })) as InvalidInputError;
    expect(error.message).toContain("this port can read all data, because there is no token");
    expect(error.hint).toContain("-L 8000:");
  });

  it.each<[OptionFlags, Record<string, string>]>([
    [{ host: "0.0.0.0", token: false }, {}],
    [{ host: "0.0.0.0" }, { PYNENC_MONITOR_NO_TOKEN: "1" }],
    [{ host: "0.0.0.0", token: "auto" }, {}],
    [{ host: "0.0.0.0", tokenFile: "token" }, {}],
    [{ host: "0.0.0.0" }, { PYNENC_MONITOR_TOKEN: "auto" }],
    [{ host: "0.0.0.0" }, { PYNENC_MONITOR_TOKEN: "a-token-of-mine-1" }],
    [{ host: "127.0.0.1", token: false }, {}],
    [{}, {}],
  ])("is accepted with %j %j", (flags, env) => {
    expect(() => check(flags, env)).not.toThrow();
  });

  it("is refused if the variable says no", () => {
    expect(() => check({ host: "0.0.0.0" }, { PYNENC_MONITOR_NO_TOKEN: "0" })).toThrow(InvalidInputError);
  });
});

describe("the read-only option of a server", () => {
  const served = (flags: OptionFlags, env = {}) =>
    servedOptions(resolveConfiguration({ flags, env, cwd: workspace() }).options).readOnly;

  it.each<[OptionFlags, Record<string, string>, boolean, string]>([
    [{}, {}, false, "default"],
    [{ readOnly: true }, {}, true, "--read-only"],
    [{ host: "0.0.0.0" }, {}, true, "--host"],
    [{ host: "0.0.0.0", token: "auto" }, {}, true, "--host"],
    [{ host: "0.0.0.0", token: false }, {}, true, "--host"],
    [{ host: "0.0.0.0", allowActions: true }, {}, false, "--allow-actions"],
    [{ host: "0.0.0.0" }, { PYNENC_MONITOR_ALLOW_ACTIONS: "yes" }, false, "PYNENC_MONITOR_ALLOW_ACTIONS"],
    [{ allowActions: true }, { PYNENC_MONITOR_READ_ONLY: "yes" }, false, "--allow-actions"],
    [{ readOnly: true }, { PYNENC_MONITOR_ALLOW_ACTIONS: "yes" }, true, "--read-only"],
  ])("with %j %j is %s, by %s", (flags, env, value, origin) => {
    expect(served(flags, env)).toEqual({ value, origin });
  });

  it.each<[OptionFlags, Record<string, string>]>([
    [{ readOnly: true, allowActions: true }, {}],
    [{}, { PYNENC_MONITOR_READ_ONLY: "yes", PYNENC_MONITOR_ALLOW_ACTIONS: "yes" }],
  ])("with %j %j is refused as a contradiction", (flags, env) => {
    expect(() => served(flags, env)).toThrow(InvalidInputError);
  });
});
