import { afterEach, expect, it, vi } from "vitest";
import { streamed } from "../../../src/cli/print/stream.ts";

afterEach(() => vi.restoreAllMocks());

it("streamed output waits for a slow reader before each piece, and leaves no listener behind", async () => {
  const { stdout } = process;
  const before = ["close", "drain", "error"].map((name) => stdout.listenerCount(name));
  const written: string[] = [];
  let most = 0;
  vi.spyOn(stdout, "write").mockImplementation((piece) => {
    written.push(String(piece));
    most = Math.max(most, stdout.listenerCount("close"));
    setImmediate(() => stdout.emit("drain"));
    return false;
  });
  async function* pieces() {
    for (let n = 0; n < 30; n++) yield `${n} `;
  }
  await streamed(pieces(), (piece) => piece);
  vi.restoreAllMocks();
  expect(written.length).toBe(30);
  expect(most).toBe(before[0]);
  expect(["close", "drain", "error"].map((name) => stdout.listenerCount(name))).toEqual(before);
});
