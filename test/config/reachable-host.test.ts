import { describe, expect, it } from "vitest";
import { type OptionFlags, resolveOptions } from "../../src/config/options.ts";
import { isLoopback, refuseReachableHost } from "../../src/config/reachable-host.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { thrownBy, workspace } from "./workspace.ts";

describe("this machine only", () => {
  it.each(["127.0.0.1", "127.9.9.9", "localhost", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"])("%s is", (host) => {
    expect(isLoopback(host)).toBe(true);
  });

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
  ])("%s is not", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

describe("an address that others can reach", () => {
  const check = (flags: OptionFlags, env = {}) => refuseReachableHost(resolveOptions({ flags, env, cwd: workspace() }));

  it("is refused with the reason and a better way, under the name it was given by", () => {
    const error = thrownBy(() => check({ host: "0.0.0.0" })) as InvalidInputError;
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toBe(
      '--host: "0.0.0.0" is not accepted; anyone who can reach this port can read all data, run tasks again and purge the app, and there is no login',
    );
    expect(error.hint).toContain("leave --host out");
    expect(error.hint).toContain("ssh -L 8000:127.0.0.1:8000");
    expect(error.hint).toContain("--no-token");
    const named = thrownBy(() => check({ port: 9000 }, { PYNENC_MONITOR_HOST: "::" })) as InvalidInputError;
    expect(named.problems).toEqual([{ parameter: "PYNENC_MONITOR_HOST", value: "::", accepted: expect.any(String) }]);
    expect(named.hint).toContain("leave PYNENC_MONITOR_HOST out");
    expect(named.hint).toContain("ssh -L 9000:127.0.0.1:9000");
  });

  it("is not said to allow a purge when nothing can be changed", () => {
    const error = thrownBy(() => check({ host: "0.0.0.0", readOnly: true, port: "auto" })) as InvalidInputError;
    expect(error.message).toContain("this port can read all data, and there is no login");
    expect(error.hint).toContain("-L 8000:");
  });

  it.each<[OptionFlags, Record<string, string>]>([
    [{ host: "0.0.0.0", token: false }, {}],
    [{ host: "0.0.0.0", token: true }, { PYNENC_MONITOR_NO_TOKEN: "1" }],
    [{ host: "127.0.0.1", token: false }, {}],
    [{}, {}],
  ])("%j %j is accepted", (flags, env) => {
    expect(() => check(flags, env)).not.toThrow();
  });

  it("is refused where the variable says no", () => {
    expect(() => check({ host: "0.0.0.0" }, { PYNENC_MONITOR_NO_TOKEN: "0" })).toThrow(InvalidInputError);
  });
});
