import fc from "fast-check";
import { expect, it } from "vitest";
import { fnmatch } from "../../src/pynenc/fnmatch.ts";

// Answers of Python's fnmatch.fnmatchcase.
it.each<[text: string, pattern: string, meets: boolean]>([
  ["shop_tasks.urgent_mail", "shop_tasks.urgent_*", true],
  ["shop_tasks.urgent_mail", "shop_tasks.*_mail", true],
  ["shop_tasks.urgent_mail", "*", true],
  ["shop_tasks.urgent_mail", "shop_tasks", false],
  ["shop_tasks.urgent_mail", "SHOP_TASKS.*", false],
  ["shop.a", "shop?a", true],
  ["shop.a", "shop.?", true],
  ["shop.", "shop.?", false],
  ["shopXa", "shop.a", false],
  ["t1", "t[0-9]", true],
  ["tx", "t[0-9]", false],
  ["tx", "t[!0-9]", true],
  ["t-", "t[a-]", true],
  ["t]", "t[]]", true],
  ["t]", "t[!]]", false],
  ["t^", "t[^]", true],
  ["ta", "t[^a]", true],
  ["tb", "t[^a]", false],
  ["t[", "t[", true],
  ["t[!", "t[!", true],
  ["tm", "t[z-a]", false],
  ["tm", "t[!z-a]", true],
  ["a\nb", "a*b", true],
  ["a\\b", "a\\b", true],
  ["a+b(c)|d{1}$", "a+b(c)|d{1}$", true],
  ["ab", "a***b", true],
  ["", "", true],
  ["", "?", false],
])("fnmatch of %j with the pattern %j is %j", (text, pattern, meets) => {
  expect(fnmatch(text, pattern)).toBe(meets);
});

it("fnmatch accepts any pattern, and a pattern without special characters matches only itself", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, pattern) => {
      expect(typeof fnmatch(text, pattern)).toBe("boolean");
      const plain = text.replaceAll(/[*?[\]]/g, "");
      expect(fnmatch(plain, plain)).toBe(true);
      expect(fnmatch(`${plain}x`, plain)).toBe(false);
    }),
  );
});
