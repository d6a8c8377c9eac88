/**
 * The path below which a proxy serves the monitor (`--base-path`). Every address that is sent has it (presentation/links.ts). Requests may come with it
 * or without it, because some proxies strip it; routes and guards see them without.
 */
import { InvalidInputError } from "../errors.ts";

/** @param pathname of a request */
export function withoutBasePath(pathname: string, basePath: string): string {
  const isBelow = basePath !== "" && `${pathname}/`.startsWith(`${basePath}/`);
  return isBelow ? pathname.slice(basePath.length) || "/" : pathname;
}

/**
 * Refuses a base path that routes begin with too: below `/tasks`, the path `/tasks/x` could be that of a task or of a page `/x`.
 *
 * @throws InvalidInputError
 */
export function refuseAmbiguous(basePath: string, routes: readonly { path: string }[]): void {
  const first = firstSegment(basePath);
  if (first === "" || !routes.some(({ path }) => firstSegment(path) === first)) return;
  const accepted = `the monitor has pages of its own below /${first}; choose another name`;
  throw new InvalidInputError([{ parameter: "--base-path", value: basePath, accepted }]);
}

function firstSegment(path: string): string {
  return path.split("/")[1] ?? "";
}
