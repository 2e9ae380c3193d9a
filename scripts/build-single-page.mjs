// dist/single-page.html: the whole page in one file, with places for a session's data (`export/pages/session-map.ts`). It
// runs from a disk, without a server, and its policy allows no request at all.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { root } from './ensure-installed.mjs';

export async function buildSinglePage(build, plugin) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { page: 'web/src/main.tsx' },
    outdir: 'dist/single',
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    plugins: [plugin],
    logLevel: 'warning',
  });
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? '';
  const style = textOf('.css');
  // Grammars of HTML look for these. They stand in strings and patterns only, where they may be spelled out; as they are,
  // a browser would read on behind the end of the element.
  const script = textOf('.js').replace(/<(?=!--|\/?script)/gi, '\\x3c');
  const theme = readFileSync(`${root}web/public/theme.js`, 'utf8').trim();
  const icon = readFileSync(`${root}web/public/icon.svg`).toString('base64');
  for (const part of [script, theme])
    if (/<(?:!--|\/?script)/i.test(part)) throw new Error('the script of the page would end its own element');
  if (/<\/style/i.test(style)) throw new Error('the style of the page would end its own element');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(theme)} ${hashOf(script)}`,
    `style-src ${hashOf(style)} ${hashOf(FALLBACK_STYLE)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ];
  writeFileSync(
    `${root}dist/single-page.html`,
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title><!--troupe:title--></title>
<link rel="icon" href="data:image/svg+xml;base64,${icon}">
<script>${theme}</script>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript><style>${FALLBACK_STYLE}</style><!--troupe:fallback--></noscript>
<script type="application/json" id="troupe-data"><!--troupe:data--></script>
<script>${script}</script>
</body>
</html>
`,
  );
}

const FALLBACK_STYLE = 'html,body{height:auto;overflow:auto}#app{display:none}.map{margin:1rem}';

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
