import { html, type Markup, styleElement } from './markup.ts';
import { PAGE_STYLE, PAGE_STYLE_HASH } from './page-style.ts';

/** Nothing is fetched, nothing runs: the style of this very page, and pictures that are in it. */
const POLICY = `default-src 'none'; style-src '${PAGE_STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'`;

/** Everything before the content of a page. */
export function openDocument(title: string): Markup {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${styleElement(PAGE_STYLE)}
</head>
<body>
<a class="skip" href="#content">Skip to the conversation</a>
`;
}

export function closeDocument(): Markup {
  return html`</body>
</html>
`;
}
