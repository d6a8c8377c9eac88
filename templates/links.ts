/** The links of the page that is being rendered. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { createLinks, type Links } from "../src/presentation/links.ts";

export const LinksContext = createContext<Links>(createLinks(null));

/** The date of today in lists, which leave it out; null in a file, which is read on other days. */
export const TodayContext = createContext<string | null>(null);

export function useLinks(): Links {
  return useContext(LinksContext);
}
