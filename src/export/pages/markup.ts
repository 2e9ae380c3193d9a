// The one place where text becomes markup. `html` escapes and cleans everything that is put into it; only what came out
// of `html` or `text` goes in as it is. So a page can hold nothing but the elements that stand in our own sources.
// Bodies of messages are clean when they come here (`cleanMessage`, `toRichTree`): megabytes are not looked through twice.

import { cleanBlock } from '../../core/index.ts';

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
