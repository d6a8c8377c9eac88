import type { ComponentChildren } from "preact";
import { useLinks } from "../links.ts";

/** A page that reveals nothing about the store. */
export function BareDocument({
  nonce,
  title,
  children,
}: {
  nonce: string;
  title: string;
  children: ComponentChildren;
}) {
  const links = useLinks();
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{`${title} · pynenc monitor`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={links.asset("icon.svg")} type="image/svg+xml" />
        <script nonce={nonce} src={links.asset("client/theme-early.js")} />
        <link rel="stylesheet" nonce={nonce} href={links.asset("app.css")} />
      </head>
      <body class="bare">
        <main id="main" class="bare-main stack">
          {children}
        </main>
      </body>
    </html>
  );
}
