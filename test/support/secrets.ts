/** Secrets in every form that is masked, each with digits and letters of its own, so that any piece of one is found wherever it appears. */
import { createHash } from "node:crypto";

/** What a secret consists of: nothing of it may be shown. */
interface Body {
  /** Digits and letters that differ by their seed, as many as asked for. */
  mixed(length: number): string;
  upper(length: number): string;
}

export interface SecretForm {
  name: string;
  text(body: Body): string;
}

const FORMS: readonly (readonly [name: string, text: SecretForm["text"]])[] = [
  ["a name and a sign", (b) => `password=${b.mixed(12)} refused`],
  ["a name and a colon", (b) => `api key db_password: ${b.mixed(12)}`],
  ["a quoted value with blanks", (b) => `secret="${b.mixed(9)} ${b.mixed(9)}", n=1`],
  ["JSON", (b) => `{"api_key": "${b.mixed(9)} ${b.mixed(9)}", "n": 1}`],
  ["JSON within JSON", (b) => JSON.stringify({ body: JSON.stringify({ token: `${b.mixed(9)}" ${b.mixed(9)}` }) })],
  ["a list of values", (b) => `{"tokens": ["${b.mixed(9)}", "${b.mixed(9)}"], "n": 1}`],
  ["Python's repr", (b) => `Config(password=b'${b.mixed(9)}', token=SecretStr('${b.mixed(9)}'), n=1)`],
  ["a subscript", (b) => `os.environ['CLIENT_SECRET'] = '${b.mixed(12)}'`],
  ["a list of arguments", (b) => `["curl", "--password", "${b.mixed(12)}"]`],
  ["Python's list of arguments", (b) => `Command '['curl', '--api-key', '${b.mixed(12)}']' failed`],
  ["a flag and a blank", (b) => `curl --password ${b.mixed(12)} --fail`],
  ["a flag and a sign", (b) => `curl --password=${b.mixed(12)} --fail`],
  ["a URL with a password", (b) => `redis://worker:${b.mixed(12)}@host:6379/0`],
  ["a URL with a slash in its password", (b) => `amqp://worker:x/${b.mixed(12)}@host/v`],
  ["a parameter of a URL", (b) => `https://host/hook?n=1&sig=${b.mixed(12)}&m=2`],
  ["a percent-encoded parameter", (b) => `/invocations/?q=n%3A1%20arg.password%3D%22${b.mixed(9)}%20${b.mixed(9)}%22`],
  ["a percent-encoded URL", (b) => `https://host/?next=redis%3A%2F%2Fu%3A${b.mixed(12)}%40h`],
  ["a twice encoded parameter", (b) => `https://host/?next=%2Fa%3Fq%3Darg.token%253D${b.mixed(12)}`],
  ["a bearer header", (b) => `Bearer ${b.mixed(24)}`],
  ["a basic header", (b) => `Basic ${b.mixed(24)}==`],
  ["an Amazon key", (b) => `AKIA${b.upper(16)}`],
  ["a temporary Amazon key", (b) => `ASIA${b.upper(16)}`],
  ["a Google key", (b) => `AIza${b.mixed(35)}`],
  ["an Azure connection", (b) => `AccountName=shop;AccountKey=${b.mixed(86)}==;EndpointSuffix=x`],
  ["a GitHub token", (b) => `ghp_${b.mixed(36)}`],
  ["a GitHub server token", (b) => `ghs_${b.mixed(36)}`],
  ["a fine-grained GitHub token", (b) => `github_pat_${b.mixed(22)}_${b.mixed(59)}`],
  ["a GitLab token", (b) => `glpat-${b.mixed(20)}`],
  ["a Stripe key", (b) => `sk_live_${b.mixed(24)}`],
  ["a restricted Stripe key", (b) => `rk_live_${b.mixed(24)}`],
  ["an OpenAI key", (b) => `sk-proj-${b.mixed(40)}`],
  ["a Slack token", (b) => `xoxb-${b.mixed(12)}-${b.mixed(24)}`],
  ["a web token", (b) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIi${b.mixed(24)}.${b.mixed(43)}`],
  ["a private key", (b) => privateKey(b, "\n")],
  ["a private key in one line", (b) => privateKey(b, "\\n")],
];

export const SECRET_FORMS: readonly SecretForm[] = FORMS.map(([name, text]) => ({ name, text }));

function privateKey(b: Body, line: string): string {
  return ["-----BEGIN RSA PRIVATE KEY-----", b.mixed(64), b.mixed(64), "-----END RSA PRIVATE KEY-----", ""].join(line);
}

export interface Secret {
  form: string;
  text: string;
  /** Pieces of it that no answer may have: also what a cut in the middle would leave. */
  pieces: string[];
}

/** Characters of a piece: fewer could be chance. */
const PIECE = 5;

/** One secret of the form for each place. */
export function secretOf({ name, text }: SecretForm, place: string): Secret {
  const bodies: string[] = [];
  const made = (alphabet: string, length: number) => {
    const seed = `${name} ${place} ${bodies.length}`;
    const bytes = createHash("sha512").update(seed).digest();
    const more = createHash("sha512").update(`${seed} more`).digest();
    const body = [...bytes, ...more]
      .slice(0, length)
      .map((byte) => alphabet[byte % alphabet.length] ?? "")
      .join("");
    // Begins as no word does, and has a digit.
    const own = `${alphabet[0]}${alphabet[1]}7${body.slice(3)}`;
    bodies.push(body.length < 3 ? body : own);
    return bodies.at(-1) ?? "";
  };
  const whole = text({
    mixed: (length) => made("Zq4XkP9wTbY2mVhR6nJsLdG8cF3", length),
    upper: (length) => made("ZQ4XKP9WTBY2MVHR6NJSLDG8CF3", length),
  });
  // The first three characters are the same in all.
  const pieces = bodies.flatMap((body) => [body.slice(3, 3 + PIECE), body.slice(-PIECE)]);
  return { form: name, text: whole, pieces };
}

/** The secrets of which a text has a piece. */
export function leaksIn(text: string, secrets: readonly Secret[]): string[] {
  return secrets.flatMap(({ form, pieces }) => {
    const piece = pieces.find((one) => text.includes(one));
    return piece === undefined ? [] : [`${form}: ${around(text, piece)}`];
  });
}

function around(text: string, piece: string): string {
  const at = text.indexOf(piece);
  return text.slice(Math.max(0, at - 120), at + 40);
}
