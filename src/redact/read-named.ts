// Values by their names, in whatever has names and values: data, configuration, code, commands, markup, tables.
// A reader, not a parser: it begins at a name, wherever that stands, so that broken and mixed texts are read as well as whole ones.

import { kindOfSecretName, type NameKind } from './secret-names.ts';
import { isCode, isOrdinary, isPathOrUrl, isReference, isStandIn, looksSecret, NUMBERED_WORDS } from './value-looks.ts';

export type OnValue = (start: number, end: number) => void;

/** What is looked at on each side; a bound for hostile texts. */
const LONGEST_NAME = 64;
const LONGEST_VALUE = 4_000;
const LONGEST_LINE = 1_000;
const LINE_BEFORE = 400;
const LINE_AFTER = 1_000;

interface Name {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly kind: NameKind;
}

const isNamePart = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) ||
  (unit >= 65 && unit <= 90) ||
  (unit >= 48 && unit <= 57) ||
  unit === 95 ||
  unit === 45 ||
  unit === 46;

const at = (pattern: RegExp, text: string, from: number): RegExpExecArray | null => {
  pattern.lastIndex = from;
  return pattern.exec(text);
};

/** What calls, ends or goes on: nothing is named there. */
const NO_VALUE_AFTER = /[;/\\^%@$~!+]/;

/** Reads what the name at this place names. Returns up to where it need not be read again for the sake of this name. */
export function readNamed(text: string, hit: number, onValue: OnValue): number {
  const name = nameAt(text, hit);
  if (name === undefined) return hit + 1;
  if (name.kind === 'none' || NO_VALUE_AFTER.test(text[name.end] ?? '')) return name.end;
  // The name of a secret in a store of AWS, and what is said about those that were redacted before.
  if (/:\d{12}:$|\[redacted:[a-z-]*$/.test(text.slice(Math.max(0, name.start - 40), name.start))) return name.end;
  readAfter(text, name, onValue);
  return name.end;
}

function nameAt(text: string, hit: number): Name | undefined {
  let start = hit;
  const first = Math.max(0, hit - LONGEST_NAME);
  while (start > first && isNamePart(text.charCodeAt(start - 1))) start--;
  let end = hit;
  const last = Math.min(text.length, hit + LONGEST_NAME);
  while (end < last && isNamePart(text.charCodeAt(end))) end++;
  while (end > start && text[end - 1] === '.') end--;
  while (end > start && text[end - 1] === '-') end--;
  while (start < end && /[.-]/.test(text[start] as string)) start++;
  const word = text.slice(start, end);
  if (end <= hit) return undefined;
  // `API key` is one name.
  if (word.length <= 4 && /^keys?$/i.test(word)) {
    const before =
      text[start - 1] === ' '
        ? /(?<![\w-])[A-Za-z]{2,12} $/.exec(text.slice(Math.max(0, start - 14), start))?.[0]
        : undefined;
    if (before === undefined) return { text: word, start, end, kind: 'none' };
    return { text: before + word, start: start - before.length, end, kind: kindOfSecretName(before + word) };
  }
  const kind = kindOfSecretName(word);
  if (kind !== 'maybe' || text[start - 1] !== ' ') return { text: word, start, end, kind };
  // `GitHub token`, `db pass`: labels have spaces.
  const owner = /(?<![\w-])[A-Za-z]{2,12}(?= $)/.exec(text.slice(Math.max(0, start - 14), start))?.[0];
  return { text: word, start, end, kind: owner ? kindOfSecretName(`${owner}_${word}`) : kind };
}

const SPACE = /[ \t]{0,40}/y;
const skip = (text: string, from: number): number => {
  SPACE.lastIndex = from;
  SPACE.test(text);
  return SPACE.lastIndex;
};

const QUOTE = /^["'`]$/;
/** Types between a name and its value: `: &'static str =`, ` string =`, `?: string | null =`, ` { get; set; } =`, `: str = Field(default=`. */
const TYPED =
  /\??[ \t]{0,4}(?::[ \t]{0,4}|[ \t])(?:&?(?:'static[ \t]+)?(?:[A-Za-z_][\w.:]{0,40})(?:[<[][\w ,.|&'[\]]{0,60}[>\]])?(?:\[\])?\??)(?:[ \t]{0,3}\|[ \t]{0,3}\w{1,20}){0,3}[ \t]{0,4}=(?![=>~])[ \t]{0,4}/y;
const PROPERTY = /[ \t]{0,4}\{[ \t]{0,4}get;[^{}\n]{0,40}\}[ \t]{0,4}=[ \t]{0,4}/y;
const SEPARATOR = /[ \t]{0,40}(:=|=>|\?=|\?\?=|\|\|=|={1,3}|:(?![:=]))[ \t]{0,40}/y;
/** What may stand before a literal: `b`, `f`, `r`, `@`; the value of a variable that has a default; a box for strings. */
const BEFORE_LITERAL =
  /(?:(?:[A-Za-z_$][\w$.?!]{0,80}(?:\[[^\]\n]{0,60}\]|\([^()\n]{0,80}\))?[ \t]{0,3}(?:\|\||\?\?|\?:|\bor\b)\s{0,3})|(?:(?:new )?(?:SecretStr|Some|String::from|String|str|Buffer\.from|Field|SecureString|Secret|Value|Ok|env::var_or|literal|Literal)\(\s{0,3}(?:default\s{0,2}=\s{0,2})?)|(?:[A-Za-z_$][\w$.:]{0,60}(?:getenv|env|get|fetch|Getenv|GetEnv|getOrDefault|unwrap_or|get_or|getenv_or)\(\s{0,3}["'][\w.-]{1,60}["']\s{0,3},\s{0,3})|(?:(?:getenv|env|get|fetch)\(\s{0,3}["'][\w.-]{1,60}["']\s{0,3},\s{0,3})){0,2}(?:[bfruLR@$]{1,2}(?=["'])|(?=["'`]))/y;

function readAfter(text: string, name: Name, onValue: OnValue) {
  const before = text[name.start - 1] ?? '';
  const opener = QUOTE.test(before) ? before : '';
  // `"--password"` in a list of arguments, and `'-p'`-like options.
  const dashes = at(/(?<=(^|.)--?)/y, text, name.start);
  const next = text[name.end] ?? '';
  if (dashes && text[name.start - 1] === '-' && !/[\w.]/.test(dashes[1] ?? '')) {
    readOption(text, name, dashes[1] ?? '', onValue);
    return;
  }
  if (opener !== '' && next === opener) {
    if (text[name.start - 2] === '\\') return;
    readAfterQuoted(text, name, opener, onValue);
    return;
  }
  if (before === '<' || (before === ':' && /<[\w-]{1,30}:$/.test(text.slice(Math.max(0, name.start - 32), name.start))))
    return readElement(text, name, onValue);
  if (before === '>' && next === '<') return readPlist(text, name, onValue);
  readAssigned(text, name, onValue);
  readColumn(text, name, onValue);
}

/** `--password X`, `--password=X`, and as an item of a list. */
function readOption(text: string, name: Name, mark: string, onValue: OnValue) {
  const isListed = QUOTE.test(mark) && text[name.end] === mark;
  if (name.kind === 'maybe' && name.text !== 'token' && name.text !== 'pass' && !/token$|pass$/.test(name.text)) return;
  if (isListed) {
    const list = at(/\s{0,40},?\s{0,40}/y, text, name.end + 1);
    const from = name.end + 1 + (list?.[0].length ?? 0);
    if (list?.[0].includes(',') && QUOTE.test(text[from] ?? ''))
      takeQuoted(text, from, { ...name, kind: 'sure' }, onValue, (value) => !value.startsWith('--'));
    return;
  }
  const space = at(/=|(?:[ \t]|\\\r?\n){1,10}/y, text, name.end);
  if (!space) return;
  const from = name.end + space[0].length;
  // The end of the item of a list: `"--password=X"`.
  if (QUOTE.test(mark) && space[0] === '=' && !QUOTE.test(text[from] ?? '')) {
    const end = endOfQuoted(text, from, mark);
    return take(text, from, end, { ...name, kind: 'sure' }, onValue);
  }
  if (/["']/.test(text[from] ?? '')) return takeQuoted(text, from, { ...name, kind: 'sure' }, onValue);
  const word = at(/(?!-)[^\s"'`;|&()<>\\,]{3,400}/y, text, from)?.[0];
  if (word === undefined || /^(?:\[|\{|\$)/.test(word)) return;
  // A word of a manual: `--password PASSWORD`, `use --token to …`.
  const isWord = /^[a-z]+[.:]?$/i.test(word) && (space[0] !== '=' || /^[A-Z]+$/.test(word));
  if (
    isWord &&
    !(
      word.length > 6 &&
      /(?:^|\n|[;|&] ?)[^\n]{0,200}$/.test(text.slice(Math.max(0, name.start - 200), name.start)) &&
      !/^[A-Z_]+$/.test(word) &&
      isCommandLine(text, name.start)
    )
  )
    return;
  take(text, from, from + word.length, { ...name, kind: 'sure' }, onValue);
}

/** Whether the line begins as commands do: `$ tool …`, or a word and options in lower case without punctuation. */
function isCommandLine(text: string, place: number): boolean {
  const start = lineStart(text, place);
  return /^[ \t]*(?:[$#>%] )?(?:sudo )?[a-z][\w./-]*(?: +[\w./:@=-]+)* +--?$/.test(text.slice(start, place));
}

/** Behind the closing quote of a name. */
function readAfterQuoted(text: string, name: Name, quote: string, onValue: OnValue) {
  let from = name.end + 1;
  const bracket = at(/\s{0,4}[\])]\s{0,4}(?==(?!=))/y, text, from);
  if (bracket) from += bracket[0].length;
  const separator = at(/\s{0,40}(:(?!:)|=>|={1}(?!=)|:=|,)\s{0,200}/y, text, from);
  if (!separator) return readBeside(text, name, from, onValue);
  const value = from + separator[0].length;
  if (separator[1] === ',') {
    // `define('DB_PASSWORD', '…')`, `getenv("TOKEN", "…")`; a list of names has no bracket right before its first and none after the second.
    const open = /([\w.$:>]{0,40})\(\s{0,4}$/.exec(text.slice(Math.max(0, name.start - 48), name.start - 1));
    if (open && QUOTE.test(text[value] ?? '')) {
      const isSetting =
        /(?:define|getenv|env|fetch|set\w*|put|get\w*|header|default|defaults|property|add|append|with\w*|secret|Getenv)$/i.test(
          open[1] ?? '',
        );
      takeQuoted(
        text,
        value,
        isSetting ? name : { ...name, kind: 'maybe' },
        onValue,
        (word) => isSetting || !/^[\w ]+$/.test(word) || /\d/.test(word),
      );
      return;
    }
    return readBeside(text, name, from, onValue);
  }
  readValue(text, value, name, onValue, quote === '`' ? 'code' : 'data');
  if (separator[1] === '=' || separator[1] === ':') readBeside(text, name, from, onValue);
}

/** The value in a field of its own: `{"name": "TOKEN", "value": "…"}`, `variable "token" { default = "…" }`, `<add key="…" value="…">`. */
function readBeside(text: string, name: Name, from: number, onValue: OnValue) {
  const beside = at(
    /[\s,;>:={}[\]]{0,60}(?:["']?(?:type|description|sensitive|secure|masked|hidden|kind|scope|enabled|required|env_var)["']?\s{0,20}[:=]\s{0,3}(?:"[^"\n]{0,120}"|'[^'\n]{0,120}'|[\w.]{1,40})[\s,;]{1,20}){0,4}["']?(?:value|default|defaultValue|default_value|stringValue|string_value|plaintext|content|secret_value|initialValue)["']?\s{0,40}[:=]\s{0,40}/iy,
    text,
    from,
  );
  if (beside) return readValue(text, from + beside[0].length, name, onValue, 'data');
  const element = at(/[^<>\n]{0,80}>(?=[^<\s])([^<>\n]{3,400})<\//y, text, from);
  // `<string name="api_key">…</string>`
  if (element && /<[\w:.-]{1,40}[^<>\n]{0,120}=$/.test(text.slice(Math.max(0, name.start - 180), name.start - 1))) {
    const start = from + element[0].length - 2 - (element[1] ?? '').length;
    return take(text, start, start + (element[1] ?? '').length, name, onValue);
  }
  readColumn(text, name, onValue);
}

/** `<password>…</password>`, also with attributes and CDATA. */
function readElement(text: string, name: Name, onValue: OnValue) {
  const open = at(/(?:[ \t][^<>\n]{0,200})?>\s{0,40}(<!\[CDATA\[)?/y, text, name.end);
  if (!open || open[0].startsWith('/')) return readAssigned(text, name, onValue);
  const from = name.end + open[0].length;
  const end = open[1] === undefined ? indexWithin(text, '<', from) : indexWithin(text, ']]>', from);
  if (end < 0 || end - from > LONGEST_VALUE || (open[1] === undefined && text[end + 1] !== '/')) return;
  take(text, from, end, name, onValue);
}

/** `<key>Password</key><string>…</string>` */
function readPlist(text: string, name: Name, onValue: OnValue) {
  const gap = at(/<\/(?:key|name|Key|Name)>\s{0,60}<(?:string|value|data|Value|String)>\s{0,20}/y, text, name.end);
  const cell =
    gap ??
    at(
      /<\/(?:b|strong|td|th|dt|code|label|span)>\s{0,4}:?\s{0,60}<(?:td|dd|code|span|b|strong)[^<>\n]{0,80}>\s{0,20}/y,
      text,
      name.end,
    );
  if (!cell) return;
  const from = name.end + cell[0].length;
  const end = indexWithin(text, '<', from);
  if (end > 0 && end - from < LONGEST_VALUE) take(text, from, end, name, onValue);
}

/** Behind a name without quotes. */
function readAssigned(text: string, name: Name, onValue: OnValue) {
  const setter = at(/\(\s{0,4}(?=["'`])/y, text, name.end);
  if (setter) {
    if (/^(?:set|with|use)?[A-Z]\w*$|^(?:set|with)_\w+$|\.(?:set|with)[A-Z_]\w*$/.test(name.text))
      takeQuoted(text, name.end + setter[0].length, name, onValue, (value) => !/\s/.test(value) || /\d/.test(value));
    return;
  }
  const typed = at(TYPED, text, name.end) ?? at(PROPERTY, text, name.end);
  if (typed && literalAt(text, name.end + typed[0].length))
    return readValue(text, name.end + typed[0].length, name, onValue, 'code');
  const label = at(LABEL_END, text, name.end);
  if (label) return readLabelled(text, name.end + label[0].length, name, onValue);
  if (readHeading(text, name, onValue)) return;
  const bracket = at(/["']?[\])]{0,2}(?=[ \t]{0,4}=)/y, text, name.end)?.[0] ?? '';
  const separator = at(SEPARATOR, text, name.end + bracket.length);
  if (separator) {
    const from = name.end + bracket.length + separator[0].length;
    const mark = separator[1] as string;
    if (mark === '==' || mark === '===') return readCompared(text, from, name, onValue);
    readValue(text, from, name, onValue, mark === ':' ? 'colon' : mark === '=' ? 'equals' : 'code', separator[0]);
    return readBeside(text, name, name.end, onValue);
  }
  if (/(?:name|key)["']?[ \t]{0,4}[:=][ \t]{0,4}$/i.test(text.slice(Math.max(0, name.start - 20), name.start)))
    return readBeside(text, name, name.end, onValue);
  readDirective(text, name, onValue);
}

/** Of a label in Markdown: `**Password:**`, `**Password**:`, `**API key** (prod):`, `Password：`. */
const LABEL_END =
  /(?:[*_`]{1,3}|<\/(?:b|strong|code)>)?(?: \([^()\n]{1,40}\)| for [\w.-]{1,30})?(?:[*_`]{1,3}[ \t]?[:：]|[:：][*_]{1,3}|[:：]<\/(?:b|strong)>|：|[*_]{1,3} (?:is|=|[–—-]) )[ \t]{0,8}/y;

function readLabelled(text: string, from: number, name: Name, onValue: OnValue) {
  const code = at(/(?:<code>|``?)(?=[^`\s])/y, text, from);
  if (code) {
    const end = indexWithin(text, code[0] === '<code>' ? '</code>' : '`', from + code[0].length);
    if (end > 0 && end - from < 400 && !text.slice(from, end).includes('\n'))
      take(text, from + code[0].length, end, name, onValue);
    return;
  }
  if (/["'“«„]/.test(text[from] ?? '')) return takeQuoted(text, from, name, onValue);
  const end = lineEnd(text, from);
  const line = text.slice(from, Math.min(end, from + LONGEST_LINE)).trim();
  if (line === '') return readBelow(text, end, name, onValue);
  const word = /^[^\s`]+/.exec(line)?.[0] ?? '';
  const value = unpunctuated(word, false);
  const isAlone = word === line;
  if (!/\d|[^\w.,;:'’()/-]/.test(value) && !(isAlone && name.kind === 'sure' && value.length >= 6)) return;
  if (!isCodeValue(value, '') && !isOrdinary(value)) take(text, from, from + value.length, name, onValue);
}

/** `### Password`, and what is below it. */
function readHeading(text: string, name: Name, onValue: OnValue): boolean {
  const start = lineStart(text, name.start);
  if (
    text[start] !== '#' ||
    !/^#{1,6} [^\n]{0,60}$/.test(text.slice(start, name.start)) ||
    !at(/[ \t]*\r?\n/y, text, name.end)
  )
    return false;
  readBelow(text, lineEnd(text, name.end), name, onValue);
  return true;
}

/** The first line that is not empty, if one word or a code is all that it has; or the first of a fence. */
function readBelow(text: string, lineBreak: number, name: Name, onValue: OnValue) {
  const below = at(/\s{1,12}(?:(?:```|~~~)\w{0,12}\r?\n[ \t]{0,8}|[-*>] )?(?:``?)?(?=[^\s`])/y, text, lineBreak);
  if (!below) return;
  const from = lineBreak + below[0].length;
  const end = Math.min(lineEnd(text, from), from + 400);
  const line = text.slice(from, end).trimEnd();
  const isCode = below[0].includes('`') || below[0].includes('~~~');
  const value = line.replace(/`{1,2}$/, '');
  if (!isCode && (/\s/.test(value) || !/\d|[^\w.,;:]/.test(value))) return;
  if (value.includes('`')) return;
  take(text, from, from + value.length, name, onValue);
}

/** `if (password === 'X')`: the value is as good as assigned where it looks like one. */
function readCompared(text: string, from: number, name: Name, onValue: OnValue) {
  if (QUOTE.test(text[from] ?? ''))
    takeQuoted(text, from, { ...name, kind: 'maybe' }, onValue, (value) => /\d/.test(value));
}

/** `ENV NAME value`, `setenv NAME value`, `set -gx NAME value`, `requirepass value`, `PASSWORD 'value'`, `#define NAME "value"`. */
function readDirective(text: string, name: Name, onValue: OnValue) {
  const from = skip(text, name.end);
  if (from === name.end) return;
  const line = text.slice(Math.max(0, name.start - 200, lineStart(text, name.start)), name.start);
  if (QUOTE.test(text[from] ?? '')) {
    const isDirective =
      /(?:^|\s)(?:ENV|ARG|setenv|set(?: -[a-zA-Z]+)*(?: --\w+)*|#\s?define|configure set|config set|secret set|variable)\s+$/.test(
        line,
      ) ||
      (/^(?:PASSWORD|password)$/.test(name.text) &&
        (text[from] === "'" || /^\s*\w*\s*$/.test(line)) &&
        /(?:^|\b)(?:ROLE|USER|role|user|WITH|with|ENCRYPTED|encrypted)\b[^\n;]{0,160}$/.test(line));
    if (isDirective) {
      if (/variable\s+$/.test(line)) return;
      takeQuoted(text, from, name, onValue);
    }
    return;
  }
  const isWordy =
    /(?:^|[\s+])(?:ENV|ARG|setenv|set(?: -[a-zA-Z]+)+|configure set|config set|SetEnv)\s+(?:\/\/[\w./-]{1,80}:)?$/.test(
      line,
    ) ||
    (/^(?:requirepass|masterauth)$/.test(name.text) && /^[\s\d→+|-]*$/.test(line));
  if (!isWordy) return;
  const word = at(/[^\s"'`]{4,400}/y, text, from)?.[0];
  if (word !== undefined) take(text, from, from + word.length, name, onValue);
}

type Style = 'data' | 'code' | 'colon' | 'equals';

function literalAt(text: string, from: number): boolean {
  return at(BEFORE_LITERAL, text, from) !== null;
}

/** The value that begins here: a string, a list of strings, a block of lines, or what the line says. */
function readValue(text: string, from: number, name: Name, onValue: OnValue, style: Style, separator = '') {
  const literal = at(BEFORE_LITERAL, text, from);
  if (literal)
    return takeQuoted(text, from + literal[0].length, name, onValue, style === 'data' ? undefined : isNoName(name));
  const first = text[from];
  if (first === '\\' && QUOTE.test(text[from + 1] ?? '')) return;
  if (first === '[') return readList(text, from + 1, name, onValue);
  const wrapped = at(
    /\{\s{0,60}(?:["']?(?:type|sensitive|description)["']?\s{0,3}[:=]\s{0,3}(?:"[^"\n]{0,80}"|\w{1,20})[\s,]{1,30}){0,3}["']?(?:value|default|plaintext|secretString)["']?\s{0,10}[:=]\s{0,10}(?=["'])/iy,
    text,
    from,
  );
  if (wrapped) return takeQuoted(text, from + wrapped[0].length, name, onValue);
  const tag = at(/(?:[&!][\w!.:/-]{1,60}[ \t]+){1,3}/y, text, from);
  if (tag && (style === 'colon' || style === 'data') && !/[&!]/.test(text[from + tag[0].length] ?? ''))
    return readValue(text, from + tag[0].length, name, onValue, style, separator);
  const block = at(/[|>](?:[+-]?\d?|\d[+-])[ \t]*(?:#[^\n]*)?\r?\n/y, text, from);
  if (block && style === 'colon') return readBlock(text, from + block[0].length, name, onValue);
  if (first === undefined || first === '\n' || first === '\r') return readNextLine(text, from, name, onValue, style);
  readBare(text, from, name, onValue, style, separator);
}

/** Nothing that a name of code may be: for literals in code whose name may also name other things. */
const isNoName =
  ({ kind, text: key }: Name) =>
  (value: string): boolean =>
    kind === 'sure'
      ? !(isCode(value) && /pass|token|key|secret|pwd/i.test(value)) &&
        !(
          /^[a-z]+[A-Z][A-Za-z]*$|^[A-Z_]+$|^[a-z]+(?:[-_.][a-z]+)*$/.test(value) &&
          new RegExp(`pass|token|key|secret|cred|${'auth'}`, 'i').test(value) &&
          key.length > 0
        )
      : /\d/.test(value) && !/^[\w.]+\.[a-z]+$/i.test(value);

function readList(text: string, from: number, name: Name, onValue: OnValue) {
  let place = from;
  for (let count = 0; count < 50; count++) {
    const gap = at(/[\s,]{0,80}(?=["'])/y, text, place);
    if (!gap) return;
    const start = place + gap[0].length;
    const end = endOfQuoted(text, start + 1, text[start] as string);
    take(
      text,
      start + 1,
      end,
      name,
      onValue,
      (value) => /\d/.test(value) || (name.kind === 'sure' && !/^[a-z_-]+$/i.test(value)),
    );
    place = end + 1;
  }
}

/** The lines of a block, which are further to the right than its name. */
function readBlock(text: string, from: number, name: Name, onValue: OnValue) {
  const indent = indentAt(text, lineStart(text, name.start));
  let place = from;
  for (let count = 0; count < 80 && place < text.length; count++) {
    const end = lineEnd(text, place);
    const line = text.slice(place, Math.min(end, place + LONGEST_LINE));
    const trimmed = line.trim();
    if (trimmed !== '' && indentAt(text, place) <= indent) return;
    if (trimmed.length >= 4) {
      const start = place + line.indexOf(trimmed);
      take(text, start, start + trimmed.length, name, onValue);
    }
    place = end + 1;
  }
}

/** A value on a line of its own: in a list of Markdown, in a fence, or behind the label of a prompt. */
function readNextLine(text: string, from: number, name: Name, onValue: OnValue, style: Style) {
  if (style !== 'colon' && style !== 'data') return;
  const fence = at(/\s{0,6}\n\s{0,8}(?:```|~~~)\w{0,12}\r?\n[ \t]{0,8}/y, text, from);
  const span = at(/[*_]{0,2}\r?\n\s{0,8}(?:[-*>] )?[ \t]{0,8}`{1,2}(?=[^`\n])/y, text, from);
  if (fence) {
    const start = from + fence[0].length;
    return text.slice(start, lineEnd(text, start)).includes('://')
      ? undefined
      : takeLine(text, start, name, onValue, '\n');
  }
  if (span) return takeLine(text, from + span[0].length, name, onValue, '`');
  // Under a key alone the value is deeper, and alone on its line.
  const deeper = at(/[ \t]{0,4}\r?\n([ \t]{2,40})(?=[^\s-])([^\s:#]{6,200})[ \t]{0,4}(?=\r?\n|$)/y, text, from);
  if (!deeper) return;
  const word = deeper[2] as string;
  if (
    indentAt(text, lineStart(text, name.start)) < (deeper[1] as string).length &&
    /\d/.test(word) &&
    !word.includes('://')
  ) {
    const end = from + deeper[0].trimEnd().length;
    take(text, end - word.length, end, name, onValue);
  }
}

function takeLine(text: string, from: number, name: Name, onValue: OnValue, mark: string): void {
  const end = indexWithin(text, mark, from);
  const stop = end < 0 ? Math.min(text.length, lineEnd(text, from)) : end;
  if (stop - from > 400 || text.slice(from, stop).includes('\n')) return;
  take(text, from, stop, name, onValue);
}

/** A value without quotes. */
function readBare(text: string, from: number, name: Name, onValue: OnValue, style: Style, separator: string) {
  const start = lineStart(text, name.start);
  const prefix = text.slice(Math.max(start, name.start - 120), name.start);
  const stop = Math.min(lineEnd(text, from), from + LONGEST_LINE);
  let line = text.slice(from, stop);
  if (line.endsWith('\r')) line = line.slice(0, -1);
  const quoteBefore = openQuote(prefix);
  if (quoteBefore !== '') {
    const close = line.indexOf(quoteBefore);
    if (close >= 0) line = line.slice(0, close);
  }
  if (/^[<[(]*$/.test(line)) return;
  // Markup is no part of it.
  line = line.slice(
    0,
    /&(?:quot|[lr]dquo|lt|gt|apos|#39|nbsp);|<\/?[a-z][\w-]{0,20}[ >/]/.exec(line)?.index ?? line.length,
  );
  // `[\s\d→|+:-]` are numbers of lines, marks of diffs; then what sets variables.
  const isLine = LINE_BEGIN.test(prefix) && start >= name.start - 120;
  const inQuery =
    /[?&][\w.[\]-]{0,40}$/.test(prefix) || /^[?&]$/.test(text[name.start - 1] ?? '') || /&[\w.-]+=/.test(line);
  let value: string;
  // `f"password=…"`: all of a string that is an assignment.
  if (
    quoteBefore !== '' &&
    text[name.start - 1] === quoteBefore &&
    style === 'equals' &&
    !inQuery &&
    line.split(' ').length <= 6 &&
    /\d/.test(line)
  )
    value = line;
  else if (inQuery && style === 'equals')
    value = (quoteBefore === "'" ? /^[^\s&"'`<>]*/ : /^[^\s&"`<>]*/).exec(line)?.[0] ?? '';
  else if (quoteBefore === '' && isLine) value = valueOfLine(line, name, style, separator, text, start);
  else if (/[{(,]\s*$/.test(prefix) && style === 'colon')
    value = /^[^\s,"'`]+?(?=\s*(?:[,}\s]|$))/.exec(line)?.[0] ?? '';
  else if (style === 'equals' && /;\s?$/.test(prefix)) value = /^[^;"'\s]+/.exec(line)?.[0] ?? '';
  else value = /^[^\s"'`]+/.exec(line)?.[0] ?? '';
  // The quotes of a text within a text.
  value = value.replace(/\\+$/, '');
  value = unpunctuated(value, isLine && !/[,;]/.test(line.slice(-1)));
  if (value.length < 4) return;
  const isUpper = /^[A-Z0-9_.]+$/.test(name.text) && style === 'equals' && separator === '=';
  if (isCodeValue(value, text.slice(from, from + value.length + 2))) return;
  const isIdentifier =
    /^[A-Za-z_$][A-Za-z_$.-]*$/.test(value) ||
    (/^[A-Za-z_$][A-Za-z_$.]*\d$/.test(value) && !/pass|pwd|pw$/i.test(name.text));
  // `-H 'X-Api-Key: …'`, `f"secret=…"`: the string has nothing else.
  const isQuotedWhole =
    quoteBefore !== '' && /["'`](?:X-)?$/i.test(text.slice(start, name.start)) && value === line.trim();
  let isTold = false;
  const isConfig = (): boolean => isLine && isConfigAround(text, start, stop);
  if (isIdentifier) {
    if (style === 'code') return;
    const isShell = isUpper && !/^[A-Z]+(?:_[A-Z]+)*$/.test(value) && name.kind === 'sure';
    const isFlow = /^\s*[\w-]+: \{ /.test(text.slice(start, name.start)) && /\}\s*$/.test(text.slice(start, stop));
    isTold =
      name.kind === 'sure' &&
      value.length >= 6 &&
      (inQuery || isFlow || isQuotedWhole || isAlone(text, name, start, from, stop, value));
    if (!isShell && !isTold && !(name.kind === 'sure' && isConfig())) return;
  } else if (
    name.kind === 'maybe' &&
    !isConfig() &&
    !(/\d/.test(value) && value.length >= 8 && (isLine || inQuery || looksSecret(value, false)))
  )
    return;
  if (/^[A-Za-z ,'’-]+[.:?!]?$/.test(value) && value.includes(' ') && !isConfig()) return;
  if (/^\d{1,5}$/.test(value) || (/^[\d.,:x-]+$/.test(value) && name.kind === 'maybe')) return;
  if (style === 'colon' && (name.text.includes(' ') || !isLine) && isOrdinary(value.replace(/[.,;]$/, ''))) return;
  if (style === 'colon' && !isTold && !isLine && !/\d|[^\w\s.,;:'’)(-]/.test(value)) return;
  take(text, from, from + value.length, name, onValue);
}

/** Whether a label and a word are all that the line has: `Root password: sunshine`. Words about passwords end as adjectives do. */
function isAlone(text: string, name: Name, start: number, from: number, stop: number, value: string): boolean {
  return (
    value.length >= 8 &&
    text.slice(from, stop).trim() === value &&
    /^[ \t]*(?:[-*] )?(?:[A-Z][\w-]* (?:[\w-]+ ){0,3})?$/.test(text.slice(start, name.start)) &&
    /^[A-Z]/.test(text.slice(start, name.end).trim()) &&
    /^[a-z]+$/.test(value) &&
    !/(?:ed|al|ory|able|ible|ect|ing|ent|ive|ly|word|phrase|token|secret|tion|ment|ous|ies|ings|here|only)$/.test(value)
  );
}

const LINE_BEGIN =
  /^[ \t]*(?:\d{1,6}[\t→|:-] ?|[\w./-]{1,80}:\d{1,6}:[ \t]*|[+-](?![+-])[ \t]*)?(?:[-*] )?(?:export |set (?:-\w+ )*|declare -\w+ |local |readonly |typeset -x |ENV |ARG |\$env:|\$|setx |env )?(?:[\w.-]+\.|[A-Z][\w-]* (?:[\w-]+ ){0,2})?["']?$/i;

/** What the line says behind its separator, without a comment. */
function valueOfLine(line: string, name: Name, style: Style, separator: string, text: string, start: number): string {
  const isTight = style === 'equals' && separator === '=';
  // In a shell a command may follow.
  if (isTight && /^[A-Z0-9_]+$/.test(name.text)) return /^[^\s]*/.exec(line)?.[0] ?? '';
  const whole = line.replace(/\s+[#;](?:\s.*)?$/, '').trimEnd();
  if (!/\s/.test(whole)) return whole;
  if (/^[A-Z][\w.]* /.test(whole) || whole.split(/\s+/).length > 6 || /[.!?]$/.test(whole))
    return /^\S*/.exec(line)?.[0] ?? '';
  return isConfigAround(text, start, start) ? whole : (/^\S*/.exec(line)?.[0] ?? '');
}

/** Without what ends a sentence, a statement or a bracket around it. */
function unpunctuated(value: string, isWhole: boolean): string {
  let end = value.length;
  if (isWhole) return /[.,;]$/.test(value) && /^[\w.,;]+$/.test(value) ? value.slice(0, -1) : value;
  while (end > 0) {
    const mark = value[end - 1] as string;
    const opening = { ')': '(', ']': '[', '}': '{', '>': '<' }[mark];
    if (/[,;.:*_`]/.test(mark) || (opening !== undefined && !value.slice(0, end - 1).includes(opening))) end--;
    else break;
  }
  return value.slice(0, end);
}

/** Calls, paths of properties, arithmetic: what programs compute. */
function isCodeValue(value: string, behind: string): boolean {
  if (isCode(value) || isReference(value)) return true;
  const bare = value.replace(/[;,]+$/, '');
  if (
    /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*(?:\?\.)?\(.*$/.test(bare) &&
    /^[\w$.]*[._$]|^\w{8,}\(|\?\.\(/.test(bare) &&
    !/[)\]][\w!@#$%^&*-]+$/.test(bare)
  )
    return true;
  if (
    /^(?:await|new|return|typeof|yield|async|function|class|import|not|in|if|for|else|case|\(\)|\(?\w+\)? ?=>)\b/.test(
      bare,
    )
  )
    return true;
  if (
    /^[A-Za-z_$][A-Za-z_$]*(?:\d?(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*!?[([{<]/.test(bare) &&
    !/[)\]][\w!@#$%^&*-]+$/.test(bare)
  )
    return true;
  if (/^[$@&*!(]*[A-Za-z_][\w]*(?:(?:\??\.|::|->)[A-Za-z_]\w*)+[!?]*$/.test(bare) && !/\d{2}/.test(bare)) return true;
  if (/^(?:[({[<]|\$\(|\$\{|=>|\/[\^(\\]|<%|\{\{|%\{)/.test(bare) && /^[[({<$=/]+["'$\s\w.]*[\])}>]*$/.test(bare))
    return true;
  return /^[A-Za-z_]\w*\[[\w"'.:-]*\]?$/.test(bare) || behind.endsWith('(') || /^&?(?:mut )?[a-z_]+::/.test(bare);
}

/** Whether the lines around are settings as well: no program, no prose. */
function isConfigAround(text: string, start: number, end: number): boolean {
  const before = text
    .slice(Math.max(0, start - 300), start)
    .split('\n')
    .slice(-4, -1);
  const rest = indexWithin(text, '\n', end);
  const after =
    rest < 0
      ? []
      : text
          .slice(rest + 1, rest + 300)
          .split('\n')
          .slice(0, 2);
  const here = text.slice(start, rest < 0 ? Math.min(text.length, start + LONGEST_LINE) : rest);
  const lines = [...before, here, ...after]
    .map((line) => line.replace(/^[ \t]*\d{1,6}[\t→|] ?|\r$|^[+-](?=\s|\w)/g, ''))
    .filter((line) => line.trim() !== '');
  if (lines.length < 2 || (start === 0 && before.length === 0 && lines.length < 2)) return false;
  return lines.every(
    (line) =>
      CONFIG_LINE.test(line) &&
      !/[;,{(]$|^\s*(?:if|for|return|const|let|var|def|import|from|class|func|fn|pub|public|private|static|this|self)\b/.test(
        line.trimEnd(),
      ),
  );
}

const CONFIG_LINE =
  /^\s*(?:[#;].*|\[[^\]]*\]|---|\.\.\.|(?:- )?["']?[\w./-]+["']?\s*[:=](?:\s.*|[^=>~(].*)?|- .*|export \w+=.*|<<:.*)$/;

/** Of a quoted string, up to its closing quote, or to the end of the line where there is none. */
function endOfQuoted(text: string, from: number, quote: string): number {
  const last = Math.min(text.length, from + LONGEST_VALUE);
  for (let place = from; place < last; place++) {
    const mark = text[place];
    if (mark === '\\') place++;
    else if (mark === quote) {
      if (text[place + 1] === quote && place > from && quote !== '`' && text[place + 2] !== quote) place++;
      else return place;
    } else if (mark === '\n' && quote !== '`') return place;
  }
  return last;
}

function takeQuoted(text: string, from: number, name: Name, onValue: OnValue, accepts?: (value: string) => boolean) {
  const quote = text[from] as string;
  if (text.startsWith(quote.repeat(3), from)) {
    const end = indexWithin(text, quote.repeat(3), from + 3);
    const start = from + 3 + (/^\s*/.exec(text.slice(from + 3, from + 60))?.[0].length ?? 0);
    if (end > start && end - start < LONGEST_VALUE) take(text, start, end, name, onValue, accepts);
    return;
  }
  const end = endOfQuoted(text, from + 1, quote);
  take(text, from + 1, end, name, onValue, accepts);
  // `a + 'rest'`: `process.env.X || '…'` is read before.
}

function take(
  text: string,
  start: number,
  end: number,
  name: Name,
  onValue: OnValue,
  accepts?: (value: string) => boolean,
) {
  const value = text.slice(start, end).trim();
  if (value.length < 4 || value.length > LONGEST_VALUE) return;
  if (isNoSecret(value, name) || accepts?.(value) === false) return;
  const lead = text.slice(start, end).indexOf(value);
  onValue(start + lead, start + lead + value.length);
}

const NO_VALUES =
  /^(?:include|same-origin|omit|bearer|basic|digest|oauth2?|saml|keyboard|default|implicit|password|code|plain|n\/a|none|null|nil|undefined|true|false|yes|no|on|off|not set|not found|unset|auto|inherit|string|required|optional)$/i;
const SENTENCE =
  /(?:^|\s)(?:password|passwort|token|secret|key|credentials?|required|invalid|enter|must|please|your|the|is|are|not|for|from|with|to|of|and|or|if|be|has|have|cannot|failed|missing|new|current|confirm)(?=[\s.,:;!?'’)]|$)/gi;

/** Whether the whole of it stands for a value that is elsewhere, or is a text about one. */
function isNoSecret(value: string, { kind, text: key }: Name): boolean {
  if (NO_VALUES.test(value) || isStandIn(value) || key.toLowerCase().endsWith(value.toLowerCase())) return true;
  // Texts for readers.
  if (
    /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{6}/.test(value) ||
    (kind === 'maybe' && /[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/.test(value))
  )
    return true;
  if (/^\[redacted:|^\[masked/.test(value) || /^[-=*_.#~+|\s]+$/.test(value)) return true;
  if (/^\d{1,3}$/.test(value)) return true;
  if (NUMBERED_WORDS.test(value) && (kind === 'maybe' || /pass|secret|token|key|cred/.test(value))) return true;
  if (/^--[a-z]/.test(value)) return true;
  const spaces = value.match(/\s+/g)?.length ?? 0;
  if (spaces >= 1 && ((value.match(SENTENCE)?.length ?? 0) >= Math.max(1, spaces / 4) || spaces > 8)) return true;
  if (
    isPathOrUrl(value) &&
    (/^(?:https?|wss?):/.test(value) ||
      (/^(?:\/|~|\.{1,2}\/|[A-Za-z]:)[\w./\\~-]*$/.test(value) && !/\d.*[A-Z]|[A-Z].*\d/.test(value)))
  )
    return true;
  if (kind === 'maybe')
    return (
      value.length < 6 ||
      !(/\d/.test(value) || (value.length >= 12 && /[A-Z]/.test(value) && /[a-z]/.test(value))) ||
      (/^[\d.,:%-]+$/.test(value) && value.length < 8) ||
      spaces > 0
    );
  return false;
}

/** A column whose head names a secret: of Markdown, of a database's answer, of CSV, or of words in line. */
function readColumn(text: string, name: Name, onValue: OnValue) {
  const start = lineStart(text, name.start);
  if (name.start - start > LONGEST_LINE) return;
  const end = lineEnd(text, name.end);
  if (end - start > LONGEST_LINE) return;
  const line = text.slice(start, end);
  if (
    /\binsert\s+into\b/i.test(line) ||
    text[name.start - 1] === '"' ||
    text[name.start - 1] === '`' ||
    /^\s/.test(line)
  )
    readInserted(text, name, onValue);
  // Only the first line of a table is its head.
  const above = start === 0 ? '' : text.slice(lineStart(text, start - 1), start - 1);
  if (line.includes('|')) return readPipes(text, start, end, line, name, onValue);
  const mark = line.includes('\t') ? '\t' : line.includes(';') && !line.includes(',') ? ';' : ',';
  const cells = line.split(mark);
  if (
    cells.length >= 2 &&
    above.split(mark).length !== cells.length &&
    cells.every((cell) => /^\s*["']?[\w .()/-]{1,40}["']?\s*$/.test(cell))
  )
    return readRows(text, end, cells, mark, name.start - start, onValue, name);
  if (/ {2,}/.test(line.trim())) return readAligned(text, start, end, line, name, onValue);
}

/** Rows that have as many cells as the head. */
function readRows(
  text: string,
  headEnd: number,
  head: readonly string[],
  mark: string,
  offset: number,
  onValue: OnValue,
  name: Name,
) {
  let column = 0;
  for (let length = 0; column < head.length; column++) {
    length += (head[column] as string).length + 1;
    if (offset < length) break;
  }
  let place = headEnd + 1;
  for (let row = 0; row < 500 && place < text.length; row++) {
    const end = lineEnd(text, place);
    if (end - place > LONGEST_LINE) return;
    const cells = cellsOf(text.slice(place, end).replace(/\r$/, ''), mark);
    if (cells.length !== head.length) return;
    const cell = cells[column];
    if (cell) take(text, place + cell.start, place + cell.end, name, onValue);
    place = end + 1;
  }
}

function cellsOf(line: string, mark: string): readonly { start: number; end: number }[] {
  const cells: { start: number; end: number }[] = [];
  let start = 0;
  let isQuoted = false;
  for (let place = 0; place <= line.length; place++) {
    if (line[place] === '"') isQuoted = !isQuoted;
    if (place < line.length && (line[place] !== mark || isQuoted)) continue;
    const isWrapped = line[start] === '"' && line[place - 1] === '"' && place - start > 1;
    cells.push(isWrapped ? { start: start + 1, end: place - 1 } : { start, end: place });
    start = place + 1;
  }
  return cells;
}

function readPipes(text: string, start: number, end: number, line: string, name: Name, onValue: OnValue) {
  const cells = line.split('|');
  if (cells.length < 2) return;
  let column = 0;
  let from = 0;
  for (; column < cells.length; column++) {
    if (name.start - start < from + (cells[column] as string).length + 1) break;
    from += (cells[column] as string).length + 1;
  }
  const label = (cells[column] ?? '').replace(/[\s*_`"']+/g, ' ').trim();
  if (label.split(' ').length > 4) return;
  // A row of two columns: the name, and what it has.
  const next = cells[column + 1];
  const ruled = /^[\s|+:-]*[-=]{2,}[\s|+:-]*$/;
  const lineBelow = text.slice(end + 1, Math.min(lineEnd(text, end + 1), end + 1 + LONGEST_LINE));
  if (ruled.test(lineBelow)) {
    if (start > 0 && text.slice(lineStart(text, start - 1), start - 1).includes('|')) return;
    let place = lineEnd(text, end + 1) + 1;
    for (let row = 0; row < 500 && place < text.length; row++) {
      const rowEnd = lineEnd(text, place);
      const rowCells = text.slice(place, Math.min(rowEnd, place + LONGEST_LINE)).split('|');
      if (rowCells.length !== cells.length) return;
      const before = rowCells.slice(0, column).reduce((sum, cell) => sum + cell.length + 1, 0);
      takeCell(text, place + before, rowCells[column] as string, name, onValue);
      place = rowEnd + 1;
    }
    return;
  }
  if (next !== undefined && column > 0 && cells.length >= 4 && label.length < 40)
    takeCell(text, start + from + (cells[column] as string).length + 1, next, name, onValue, true);
}

function takeCell(text: string, from: number, cell: string, name: Name, onValue: OnValue, isRow = false): void {
  const bare = /^[\s*_`"']*(.*?)[\s*_`"']*$/s.exec(cell)?.[1] ?? '';
  if (bare.length < 4) return;
  // In a row that describes a setting, words are words.
  if (isRow && !/\d|[^\w\s.,;:()'’/-]/.test(bare) && !(/^\S+$/.test(bare) && bare.length > 9 && !/[A-Z(.]/.test(bare)))
    return;
  const words = bare.split(/\s+/).length;
  if (words > 5 || (isRow && words > 3 && !/\d/.test(bare))) return;
  const start = from + cell.indexOf(bare);
  take(text, start, start + bare.length, name.kind === 'maybe' ? name : { ...name, kind: 'sure' }, onValue);
}

/** Words in line under the head, as `kubectl` and `ps` print them. */
function readAligned(text: string, start: number, end: number, line: string, name: Name, onValue: OnValue) {
  const column = name.start - start;
  if (
    !/^(?:[A-Z][A-Z0-9_()-]*)(?: {1,}[A-Z][A-Z0-9_()-]*)+\s*$/.test(line) ||
    (column > 0 && !/ {2}$/.test(line.slice(0, column)))
  )
    return;
  let place = end + 1;
  for (let row = 0; row < 200 && place < text.length; row++) {
    const rowEnd = lineEnd(text, place);
    const word = /^\S{4,400}/.exec(text.slice(place + column, Math.min(rowEnd, place + column + 400)))?.[0];
    if (word === undefined || (column > 0 && text[place + column - 1] !== ' ')) return;
    take(text, place + column, place + column + word.length, name, onValue);
    place = rowEnd + 1;
  }
}

/** `INSERT INTO t (a, password) VALUES ('x', '…'), (…)` */
function readInserted(text: string, name: Name, onValue: OnValue) {
  const list = at(/[`"\]]?[\w\s,`"[\]]{0,400}\)\s{0,10}VALUES\s{0,10}/iy, text, name.end);
  if (!list) return;
  const open = Math.max(0, name.start - 700) + text.slice(Math.max(0, name.start - 700), name.start).lastIndexOf('(');
  if (
    open < 0 ||
    name.start - open > 600 ||
    !/insert\s+into\s+[\w."`[\]]{1,100}\s*$/i.test(text.slice(Math.max(0, open - 140), open))
  )
    return;
  const column = text.slice(open, name.start).split(',').length - 1;
  let place = name.end + list[0].length;
  for (let row = 0; row < 200 && text[place] === '('; row++) {
    place++;
    for (let index = 0; ; index++) {
      const cell = at(
        /\s{0,10}(?:[NEe]?'((?:[^'\\]|''|\\.){0,1000})'|([^,()']{0,200}(?:\([^()]{0,200}\))?))\s{0,10}/y,
        text,
        place,
      );
      if (!cell) return;
      const value = cell[1];
      if (index === column && value !== undefined) {
        const start = place + cell[0].indexOf("'") + 1;
        take(text, start, start + value.length, name, onValue);
      }
      place += cell[0].length;
      if (text[place] !== ',') break;
      place++;
    }
    if (text[place] !== ')') return;
    place = place + 1 + (at(/\s{0,10},\s{0,40}/y, text, place + 1)?.[0].length ?? 0);
  }
}

/** Lines are looked at in part, so that the time for a text of one line does not grow with its square. */
function lineStart(text: string, place: number): number {
  const from = Math.max(0, place - LINE_BEFORE);
  return from + text.slice(from, place).lastIndexOf('\n') + 1;
}

function lineEnd(text: string, place: number): number {
  const end = text.slice(place, place + LINE_AFTER).indexOf('\n');
  return end < 0 ? Math.min(text.length, place + LINE_AFTER) : place + end;
}

function indexWithin(text: string, mark: string, from: number): number {
  const found = text.slice(from, from + LONGEST_VALUE).indexOf(mark);
  return found < 0 ? -1 : from + found;
}

function indentAt(text: string, place: number): number {
  let end = place;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end - place;
}

/** The quote that is open behind this beginning of a line. */
function openQuote(prefix: string): string {
  let open = '';
  for (let place = 0; place < prefix.length; place++) {
    const mark = prefix[place] as string;
    if (mark === '\\') place++;
    else if (open === '' && /["`]/.test(mark)) open = mark;
    else if (open === '' && mark === "'" && !/\w/.test(prefix[place - 1] ?? '')) open = mark;
    else if (mark === open) open = '';
  }
  return open;
}

/** The data of a secret of Kubernetes, in YAML: whatever the keys are called. `hit`: at `kind: Secret`. */
export function readKubernetesSecret(text: string, hit: number, onValue: OnValue): number {
  const line = lineStart(text, hit);
  const kind = /^([ \t]*(?:\d{1,6}[\t→|] ?)?)(?:- )?kind:[ \t]*["']?Secret["']?\s*$/.exec(
    text.slice(line, Math.min(lineEnd(text, hit), line + 120)),
  );
  if (!kind) return hit + 1;
  const isEnd = (here: string): boolean => /^[ \t]*(?:\d{1,6}[\t→|] ?)?---\s*$/.test(here);
  let place = line;
  for (let count = 0; count < 60 && place > 0; count++) {
    const before = lineStart(text, place - 1);
    if (isEnd(text.slice(before, place - 1))) break;
    place = before;
  }
  let isData = false;
  let indent = 0;
  for (let count = 0; count < 200 && place < text.length; count++) {
    const end = lineEnd(text, place);
    const here = text.slice(place, Math.min(end, place + LONGEST_VALUE));
    const margin = /^[ \t]*\d{1,6}[\t→|] ?/.exec(here)?.[0].length ?? 0;
    if (isEnd(here) && place > line) break;
    const depth = indentAt(text, place + margin);
    if (/^\s*(?:data|stringData):\s*$/.test(here.slice(margin))) [isData, indent] = [true, depth];
    else if (isData && here.trim() !== '' && depth <= indent) isData = false;
    else if (isData) {
      const field = /^\s*["']?[\w./-]{1,100}["']?:[ \t]+["']?(\S.*?)["']?\s*$/.exec(here.slice(margin));
      if (field?.[1] && field[1].length >= 4 && !/^[|>]/.test(field[1]) && !isStandIn(field[1])) {
        const start = place + margin + here.slice(margin).lastIndexOf(field[1]);
        onValue(start, start + field[1].length);
      }
    }
    place = end + 1;
  }
  return hit + 1;
}
