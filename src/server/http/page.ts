import { createHash } from 'node:crypto';

/** On every answer. What it tells is for one person, now: nothing may keep, embed, sniff or pass it on. */
export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Content-Security-Policy', contentPolicy()],
];

/** Nothing is allowed but what is named, e.g. `style-src 'sha256-…'`. */
export function contentPolicy(...allowed: readonly string[]): string {
  return ["default-src 'none'", ...allowed, "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"].join(
    '; ',
  );
}

/** Until the live page is there: that the server runs, and what works. It says nothing about anybody's sessions. */
export function renderPage(notice?: 'old-link'): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>troupe</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>troupe</h1>
${notice === 'old-link' ? OLD_LINK : RUNNING}
<h2>What works now</h2>
<ul>
<li><code>troupe watch</code> shows the agents live in your terminal.</li>
<li><code>troupe ls</code> and <code>troupe tree</code> show sessions and their agents.</li>
<li><code>/api/status</code>, <code>/api/sessions</code> and <code>/api/events</code> answer programs that bring the token.</li>
</ul>
</main>
</body>
</html>
`;
}

const RUNNING = `<p>The server is running. The live page is not part of this build.</p>`;
const OLD_LINK = `<p role="alert">This login link was used before, or is older than a minute. Run <code>troupe open</code> to log in.</p>`;

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.6 system-ui, sans-serif; }
body { margin: 0; background: light-dark(#fbfaf8, #16171a); color: light-dark(#24262b, #e4e3df); }
main { max-width: 38rem; margin: 0 auto; padding: 12vh 1.5rem 4rem; }
h1 { font-size: 1.75rem; margin: 0 0 1rem; }
h2 { font-size: 1.125rem; margin: 2rem 0 0.5rem; }
ul { padding-left: 1.25rem; }
code { font: 0.9375em ui-monospace, monospace; overflow-wrap: anywhere; }
`;

export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': contentPolicy(`style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`),
} as const;

/** One file of the page, in memory: no address ever becomes a path of the file system. */
export interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** By address: `/`, `/assets/index-….js`, … */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** Nothing but what the server itself sends: no inline script or style, nothing from elsewhere. */
const PAGE_POLICY = contentPolicy(
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
);

export function headersOf(address: string, { type }: PageFile): Readonly<Record<string, string>> {
  // The names of built files change with their contents.
  const keeps = address.startsWith('/assets/') ? { 'Cache-Control': 'private, max-age=31536000, immutable' } : {};
  return { 'Content-Type': type, 'Content-Security-Policy': PAGE_POLICY, ...keeps };
}
