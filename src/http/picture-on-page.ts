import type { FamilyPicture, NodeKind } from "../api/causes.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { familyPictureOrNull } from "../services/causes/family-picture.ts";
import type { RouteRequest } from "./context.ts";

/** What a page shows, with its family over time. As JSON the family has an address of its own. */
export async function withPicture<Detail extends object>(
  app: OpenedApp,
  wanted: RouteRequest["wanted"],
  kind: NodeKind,
  id: string,
  loading: Promise<Detail>,
): Promise<Detail & { picture?: FamilyPicture | null }> {
  if (wanted === "json") return loading;
  const [detail, picture] = await Promise.all([loading, familyPictureOrNull(app, kind, id)]);
  return { ...detail, picture };
}
