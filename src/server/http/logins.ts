// Browsers that may use the page. A login link holds a code that works once, for a minute; it is exchanged for a cookie. Only
// digests of cookies are kept, so that reading what is kept does not open the page.
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';

export interface LoginsOptions {
  readonly clock: Clock;
  /** Digests of cookies that an earlier server gave out. */
  readonly kept?: readonly string[];
  /** Called with all digests after each login. */
  readonly onChange?: (digests: readonly string[]) => void;
}

const LINK_MS = 60_000;
const MAX_LINKS = 20;
const MAX_BROWSERS = 50;

export class Logins {
  readonly #clock: Clock;
  readonly #onChange: (digests: readonly string[]) => void;
  /** Digest of a code → when it stops working. */
  readonly #links = new Map<string, number>();
  #browsers: readonly string[];

  constructor({ clock, kept = [], onChange = () => {} }: LoginsOptions) {
    this.#clock = clock;
    this.#browsers = kept;
    this.#onChange = onChange;
  }

  /** The path of a link that works once, for a minute. */
  createLink(): string {
    const code = createSecret();
    this.#links.set(digestOf(code), this.#clock() + LINK_MS);
    // The oldest go first.
    for (const digest of this.#links.keys()) if (this.#links.size > MAX_LINKS) this.#links.delete(digest);
    return `/login?code=${code}`;
  }

  /** The cookie of a new login; undefined if the code was used, is too old, or never existed. */
  redeem(code: string): string | undefined {
    const digest = digestOf(code);
    const until = this.#links.get(digest);
    this.#links.delete(digest);
    if (until === undefined || this.#clock() >= until) return undefined;
    const cookie = createSecret();
    this.#browsers = [...this.#browsers, digestOf(cookie)].slice(-MAX_BROWSERS);
    this.#onChange(this.#browsers);
    return cookie;
  }

  /** Digests are compared, not secrets: how long that takes tells nothing about a secret. */
  isLoggedIn(cookie: string): boolean {
    return this.#browsers.includes(digestOf(cookie));
  }
}

function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
