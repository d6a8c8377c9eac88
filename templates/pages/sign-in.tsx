import { Notice } from "../fragments/ui/notice.tsx";
import { useLinks } from "../links.ts";

/** For a monitor with a token. Reveals nothing about the store. @param next where to go afterwards: a path of this server */
export function SignInPage({ next, wrong }: { next: string; wrong: string | null }) {
  const links = useLinks();
  return (
    <>
      <h1>pynenc monitor</h1>
      {wrong !== null && (
        <Notice tone="warn">
          <p>{wrong}</p>
        </Notice>
      )}
      <form class="card sign-in stack" method="post" action={links.signIn()}>
        <input type="hidden" name="next" value={next} />
        <div class="field">
          <label for="token">Token</label>
          <input type="password" name="token" id="token" autocomplete="current-password" required />
        </div>
        <button class="button primary" type="submit">
          Sign in
        </button>
      </form>
      <p class="muted">
        The address that the monitor printed when it was started signs one browser in, once. Somebody who is signed in
        can make another.
      </p>
    </>
  );
}

/** @param url a new one-time address. */
export function SignedInPage({ url, minutes }: { url: string | null; minutes: number }) {
  const links = useLinks();
  return (
    <>
      <h1>pynenc monitor</h1>
      <p>This browser is signed in.</p>
      {url === null ? (
        <form method="post" action={links.signInCode()}>
          <button class="button" type="submit">
            Create an address for another browser
          </button>
        </form>
      ) : (
        <Notice tone="info">
          <p>This address signs in one browser, once, within {minutes} minutes:</p>
          <p>
            <code>{url}</code>
          </p>
        </Notice>
      )}
      <p>
        <a href={links.dashboard()}>Go to the monitor</a>
      </p>
    </>
  );
}
