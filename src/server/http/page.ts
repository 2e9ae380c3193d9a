import { createHash } from 'node:crypto';
import { contentPolicy } from './security-headers.ts';

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
