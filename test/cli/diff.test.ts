/** `monitor diff` on data that real pynenc runs wrote. */
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const here = [
  ...["--db", ownCopy("kitchen_sink.db", folder), "--app", "kitchen_sink"],
  ...["--now", presentOption("kitchen_sink.db")],
];
const FAILED = "edcb998e-9b42-4685-a885-4003fccce589";
const RUNS = ["41382a01", "bd091606"] as const;

describe("monitor diff", () => {
  test("shows the differences between two workflow runs that are named by the beginnings of their ids", async () => {
    const { code, stdout, stderr } = await monitor([...here, "diff", ...RUNS]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("6 invocations compared. Different: arguments of 1, times of 6.");
    expect(stdout).toContain('order: "ORD-4-ppr" / "ORD-from-event"');
    expect(stdout.match(/^ {8}tasks\.wf_step {2}times/gm)).toHaveLength(1);
  });

  test("fits a terminal of 80 columns", async () => {
    for (const words of [RUNS, [FAILED, "--last-success"], [FAILED, RUNS[0]]]) {
      const { code, stdout } = await monitor([...here, "diff", ...words], { columns: 80 });
      expect(code).toBe(0);
      expect(
        stripVTControlCharacters(stdout)
          .split("\n")
          .filter((line) => line.length > 80),
      ).toEqual([]);
    }
  });

  test("says that nothing differs for a run and itself", async () => {
    const { stdout } = await monitor([...here, "diff", RUNS[0], RUNS[0]]);
    expect(stdout).toContain("6 invocations compared. Nothing differs.");
  });

  test("with --last-success finds the last success, and names it in JSON", async () => {
    const run = await monitor([...here, "diff", FAILED, "--last-success", "--json"]);
    const found = JSON.parse(run.stdout);
    expect([found.a, found.last_success, found.nodes[0].b.status]).toEqual([FAILED, true, "success"]);
    expect(found.nodes[0].differs).toContain("outcome");
    expect(found.nodes[0].b.registered_at < found.nodes[0].a.registered_at).toBe(true);
  });

  test("exits with 2 for wrong usage and with 3 for an unknown id", async () => {
    const codes = async (...args: string[]) => (await monitor([...here, "diff", ...args])).code;
    expect(await codes(FAILED)).toBe(2);
    expect(await codes(FAILED, FAILED, "--last-success")).toBe(2);
    expect(await codes(FAILED, "no-such-id")).toBe(3);
  });
});
