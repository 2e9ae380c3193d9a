import { cleanBlock } from '../../core/index.ts';

// The one place where text becomes markup. `html` escapes and cleans everything that is put into it; only what came out
// of `html` or `text` goes in as it is. So a page can hold nothing but the elements that stand in our own sources.
// Bodies of messages are clean when they come here (`cleanMessage`, `toRichTree`): megabytes are not looked through twice.

/** Markup that is safe to send. Made in this file only. */
export class Markup {
  readonly text: string;
  constructor(text: string, key: typeof KEY) {
    if (key !== KEY) throw new Error('troupe: markup is made by html`…` only');
    this.text = text;
  }
}
const KEY = Symbol('markup');

export type Content = string | number | Markup | undefined | false | readonly Content[];

/** Attributes are always whole: `href="${target}"`. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let made = strings[0] ?? '';
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (typeof value === 'object' && strings[index]?.endsWith('="'))
      throw new Error('troupe: an attribute takes text, not markup');
    made += write(value) + strings[index + 1];
  }
  return new Markup(made, KEY);
}

export const NOTHING = html``;

function write(value: Content): string {
  if (typeof value === 'string') return escapeAll(value);
  if (value instanceof Markup) return value.text;
  if (typeof value === 'number') return String(value);
  if (!value) return '';
  let made = '';
  for (const one of value) made += write(one);
  return made;
}

/** A body, or a part of one, of a message that was cleaned: between tags, quotes may stay what they are. */
export function text(body: string): Markup {
  return new Markup(escapeBody(body), KEY);
}

function escapeBody(clean: string): string {
  return /[&<>]/.test(clean) ? clean.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : clean;
}

function escapeAll(value: string): string {
  return escapeBody(cleanBlock(value)).replaceAll('"', '&quot;');
}

/** Of our own sources: a style sheet cannot be escaped, only refused. */
export function styleElement(sheet: string): Markup {
  if (sheet.includes('<')) throw new Error('troupe: a style sheet holds markup');
  return new Markup(`<style>${sheet}</style>`, KEY);
}

/** Each line of a body an item of a list. */
export function lineItems(body: string): Markup {
  return new Markup(`<li>${escapeBody(body).replaceAll('\n', '</li>\n<li>')}</li>`, KEY);
}

export function join(parts: readonly Content[], between: Content): Content {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]));
}

// The one style of every exported page: inside each of them, so that a file can be handed on alone. Light and dark are
// both designed; printed, everything is open and no ink is wasted.

const COLOURS = `:root{color-scheme:light dark;--ground:#fbfbfa;--raised:#fff;--sunken:#f2f2f0;--line:#dddcd8;--text:#1d1f23;--dim:#5b5f68;--accent:#1f5fbf;--good:#1b6e3c;--warn:#8a5300;--bad:#b3261e;--plus:#e2f3e6;--minus:#fce8e6;--l:.5;--c:.13;--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace}
@media (prefers-color-scheme:dark){:root{--ground:#15171b;--raised:#1b1e23;--sunken:#101215;--line:#2c3038;--text:#e4e6ea;--dim:#a3a9b4;--accent:#7fb2ff;--good:#78c994;--warn:#e3b04b;--bad:#f28b82;--plus:#16301f;--minus:#3a1917;--l:.76;--c:.12}}
`;

/** In the order of every other UI; none is near the red of what failed. */
const HUES = [235, 75, 163, 345, 50, 260, 105, 190, 305, 212, 135, 283]
  .map((angle, hue) => `.h${hue}{--h:oklch(var(--l) var(--c) ${angle})}`)
  .join('');

const FRAME = `
*{box-sizing:border-box}
.h{--h:var(--dim)}${HUES}
html{scroll-padding-top:1rem}
body{margin:0 auto;padding:1.5rem 1rem 3rem;max-width:52rem;background:var(--ground);color:var(--text);font:15px/1.55 var(--sans);overflow-wrap:anywhere}
a{color:var(--accent);text-underline-offset:2px}
a.quiet{color:inherit;text-decoration-color:var(--line)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;padding:.25rem .75rem;background:var(--raised)}
.hide{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
h1{margin:.25rem 0 .5rem;font-size:1.6rem;line-height:1.25;text-wrap:balance}
h2{margin:2.25rem 0 .75rem;font-size:1.1rem}
h2 .note,h1 .type{font-weight:400}
h1 .type{font-size:1rem}
p{margin:.4rem 0}
.note,.type,.nums,time,.size,.perma,.axis,.facts,footer{color:var(--dim)}
.note,.type,.nums,.size,.axis,footer{font-size:.85rem}
.nums,time,.size{font-variant-numeric:tabular-nums}
.bad{color:var(--bad)}.plus{color:var(--good)}.minus{color:var(--bad)}
#not-known h2{margin:1.25rem 0 .25rem;font-size:1em}#not-known ul{margin:0;padding-left:1.2rem}
.top{border-left:4px solid var(--h,var(--line));padding-left:1rem}
.facts{margin:0}.facts>span,.nums>span{white-space:nowrap}
.crumbs ol,.parts ol{display:inline;margin:0;padding:0;list-style:none}
.crumbs li,.parts li{display:inline}.parts li{white-space:nowrap}
.crumbs li+li::before{content:" › ";color:var(--dim)}
.crumbs{font-size:.9rem}
.parts{margin:1rem 0;font-size:.9rem;font-variant-numeric:tabular-nums}.parts ol{margin:0 .75rem 0 0}.parts>a{margin-right:.75rem}
.gist{margin:1rem 0 0}
.gist>div{display:grid;grid-template-columns:5.5rem 1fr;padding:.35rem 0;border-top:1px solid var(--line)}
dt{color:var(--dim)}dd{margin:0;min-width:0}dd p{margin:.15rem 0}dd ol,.files{margin:0;padding-left:1.2rem}
.st{white-space:nowrap;font-size:.9rem;color:var(--dim)}
.st-completed{color:var(--good)}.st-failed{color:var(--bad)}
.st-waiting,.st-stalled{color:var(--warn)}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line)}
footer h2{margin:0;font-size:1em}footer ul{padding-left:1.2rem}
`;

const MAPS = `
.map,.map ul{margin:0;padding:0;list-style:none}
.map ul{margin-left:-.3rem;padding-left:1rem;border-left:1px solid var(--line)}
.map li{padding:.3rem 0 .3rem .75rem}
.map .name{font-weight:600;color:var(--text);text-decoration-color:var(--h);border-left:4px solid var(--h);margin-left:-.75rem;padding-left:.5rem}
.map [aria-current]{background:var(--sunken);text-decoration:none}
.map p{margin:.1rem 0 0}
.ask{color:var(--dim);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.said{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}.ask::before{content:"asked: "}
.said::before{content:"→ ";color:var(--dim)}
.small{font-size:.9rem}.small li{padding:.1rem 0}
.around summary{color:var(--dim);font-size:.85rem;cursor:pointer}
.side{margin-top:1.5rem}
.sessions{margin:0;padding:0;list-style:none}.sessions li{padding:.5rem 0;border-top:1px solid var(--line)}.sessions p{margin:0}
.rows{margin:0;padding:0;list-style:none}
.rows li{display:grid;grid-template-columns:minmax(7rem,12rem) 1fr;gap:.75rem;align-items:center;border-top:1px solid var(--line)}
.rows .name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:.85rem}
.rows a{color:inherit;text-decoration-color:var(--line)}
.rows svg{width:100%;height:20px;display:block}
.rows rect{fill:var(--h);opacity:.45}
.tick{stroke:var(--h);fill:none;vector-effect:non-scaling-stroke;stroke-width:1.5}
.tick.failed{stroke:var(--bad);stroke-width:2.5}
.d1{padding-left:.7rem}.d2{padding-left:1.4rem}.d3{padding-left:2.1rem}.d4{padding-left:2.8rem}.d5{padding-left:3.5rem}.d6{padding-left:4.2rem}
.axis{display:flex;justify-content:space-between;margin:0 0 .25rem}
`;

const TALK = `
article{display:flow-root;margin:1.25rem 0 0;padding:0 0 .25rem 1rem;border-left:3px solid var(--h)}
article.on{margin-top:0;padding-top:.25rem}
article:target,.call:target,.door:target{background:var(--sunken);outline:2px solid var(--accent)}
.person,.parent{background:var(--raised);border:1px solid var(--line);border-left:3px solid var(--h);padding:.5rem .75rem .5rem 1rem}
.host{border-left-style:dotted;font-size:.9rem}
.who{display:flex;gap:.6rem;align-items:baseline;margin:0;font-size:.85rem}
.who b{color:var(--h)}
.who time{margin-left:auto}
.perma{text-decoration:none}
.on>.who{float:right;margin-left:1rem}
.on>.door,.on>.text{clear:both}
.day{margin:2rem 0 0;font-size:.85rem;font-weight:600;color:var(--dim)}
.prose>:first-child{margin-top:.25rem}
.prose ul,.prose ol{padding-left:1.5rem;margin:.4rem 0}
.prose blockquote{margin:.5rem 0;padding-left:.75rem;border-left:3px solid var(--line);color:var(--dim)}
.hd{font-weight:650;margin-top:.9rem}.big{font-size:1.08em}
.ref,.notice{color:var(--dim)}
code,pre,.lines,.command{font-family:var(--mono);font-size:.84em}
code{background:var(--sunken);padding:.1em .25em;border-radius:3px}
pre{margin:.4rem 0;white-space:pre-wrap;line-height:1.45}
.text,.lines{padding:.5rem .75rem;background:var(--sunken);border-radius:4px}
.code{padding:.6rem .75rem;background:var(--sunken);border-radius:4px}.code code{padding:0;font-size:1em;background:none}
.text.bad{border-left:3px solid var(--bad)}
.command::before{content:"$ ";color:var(--dim)}
.aside{color:var(--dim)}
.lines{margin:.4rem 0;padding-left:4.2em;line-height:1.45}.lines li{min-height:1lh;white-space:pre-wrap}.lines ::marker{color:var(--dim)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.92em}th,td{border:1px solid var(--line);padding:.2rem .5rem;text-align:left;vertical-align:top}
img{max-width:100%;height:auto;border:1px solid var(--line)}
summary{cursor:pointer}
.call,.thinking{margin:.4rem 0}
.call>summary,.thinking>summary{display:flex;gap:.5rem;align-items:baseline;list-style:none}
.call>summary::before,.thinking>summary::before{content:"▸";color:var(--dim)}
.call[open]>summary::before,.thinking[open]>summary::before{content:"▾"}
.about{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;color:var(--dim)}
[open]>summary .about{white-space:normal}
.size{white-space:nowrap}.size.bad{color:var(--bad)}
.thinking{color:var(--dim)}.thinking .text{font-family:var(--sans);font-size:.95em}
.more>summary{color:var(--accent);font-size:.85rem}
.diff{white-space:pre-wrap}ins,del{display:block;text-decoration:none}ins{background:var(--plus)}del{background:var(--minus)}ins b,del b{text-decoration:underline}
.checks,.hits{margin:.4rem 0;padding-left:.5rem;list-style:none}.hits{padding-left:1.5rem;list-style:decimal}.done,.dropped{color:var(--dim)}
.fields>div{display:grid;grid-template-columns:minmax(5rem,auto) 1fr;gap:.75rem}.fields .text{margin:.15rem 0;padding:.15rem .5rem}
.door{margin:.6rem 0;padding:.6rem .9rem;border:1px solid var(--line);border-left:4px solid var(--h);border-radius:4px;background:var(--raised)}
.door-head{margin:0}.label{margin:.5rem 0 0;font-size:.85rem;color:var(--dim)}
.card{margin:.6rem -.9rem -.6rem;padding:.5rem .9rem;border-top:1px solid var(--line);background:var(--sunken)}
.card+.card{margin-top:.6rem}.card a{font-weight:600;margin-right:.5rem}
.t-word{color:var(--accent)}.t-name{font-weight:600}.t-text{color:var(--good)}.t-value{color:var(--warn)}.t-note{color:var(--dim);font-style:italic}.t-added{background:var(--plus)}.t-removed{background:var(--minus)}
`;

const SHEETS = `
@media (min-width:75rem){body:has(.side){display:grid;grid-template-columns:15rem minmax(0,46rem);gap:0 2.5rem;max-width:66rem}body:has(.side)>*{grid-column:2}body:has(.side)>.side{grid-column:1;grid-row:1/span 99;margin:0;position:sticky;top:1.5rem;align-self:start;max-height:calc(100vh - 3rem);overflow:auto}}
@media (max-width:40rem){body{padding-top:1rem}.rows li{grid-template-columns:6rem 1fr}.gist>div{grid-template-columns:1fr}.ask{white-space:normal}.sessions li{padding:.75rem 0}}
@media print{:root{color-scheme:light}body{max-width:none;padding:0;background:none;font-size:10pt;display:block!important}.perma,.skip,.parts,.around>summary{display:none}details::details-content{content-visibility:visible;display:block;height:auto}.more>summary,.call>summary::before{display:none}.text,.lines,.code,code,.card,.person,.parent{background:none;border-color:#bbb}.text,.lines,.code{border:1px solid #ddd}.about,.ask{white-space:normal}.said{-webkit-line-clamp:99}.thinking .about{display:none}article,.door{break-inside:auto}h1,h2,.who,summary{break-after:avoid}a{color:inherit}.side{position:static}}
`;

export const PAGE_STYLE = `${COLOURS}${FRAME}${MAPS}${TALK}${SHEETS}`;

/** Of the style above; the test beside it says how to renew it. */
export const PAGE_STYLE_HASH = 'sha256-TxL7cXaYopLVhJQhxrQIVDYSYFfuk+J1OPLgSbSCTPs=';

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

export const DOCUMENT_END = html`</body>
</html>
`;
