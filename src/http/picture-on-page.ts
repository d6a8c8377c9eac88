import type { FamilyPicture, NodeKind } from "../api/causes.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { knownSuccessBefore } from "../services/causes/diff.ts";
import { familyPictureOrNull } from "../services/causes/family-picture.ts";
import type { RouteRequest } from "./context.ts";

/** The model of a page together with its family over time, and the success that a failed invocation can be compared with. In JSON, both have addresses of their own. */
export async function withPicture<Detail extends object>(
  app: OpenedApp,
  wanted: RouteRequest["wanted"],
  kind: NodeKind,
  id: string,
  loading: Promise<Detail>,
): Promise<Detail & { picture?: FamilyPicture | null; success_before?: string | null }> {
  if (wanted === "json") return loading;
  const [detail, picture, success_before] = await Promise.all([
    loading,
    familyPictureOrNull(app, kind, id),
    kind === "invocation" ? knownSuccessBefore(app, id) : null,
  ]);
  return { ...detail, picture, success_before };
}
