import type { FamilyPicture, NodeKind } from "../api/causes.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { familyPictureOrNull } from "../services/causes/family-picture.ts";
import type { RouteRequest } from "./context.ts";

/** The model of a page together with its family over time. In JSON, the family has its own address. */
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
