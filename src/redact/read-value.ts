// Values behind a name and a separator: strings, lists, blocks of lines, and what a line says.

import {
  at,
  endOfQuoted,
  indentAt,
  indexWithin,
  LONGEST_LINE,
  lineEnd,
  lineStart,
  type Name,
  type OnValue,
  openQuote,
  QUOTE,
} from './scan-text.ts';
import { isCodeValue, isExactly, take, takeQuoted, unpunctuated } from './take-value.ts';
import { isCode, isOrdinary, isPassphrase, looksRandom, looksSecret } from './value-looks.ts';

/** What may stand before a literal: `b`, `f`, `r`, `@`; the value of a variable that has a default; a box for strings. */
const BEFORE_LITERAL =
  /(?:(?:[A-Za-z_$][\w$.?!]{0,80}(?:\[[^\]\n]{0,60}\]|\([^()\n]{0,80}\))?[ \t]{0,3}(?:\|\||\?\?|\?:|\bor\b)\s{0,3})|(?:(?:new )?(?:\[\]byte|SecretStr|Some|String::from|String|str|Buffer\.from|Field|SecureString|Secret|Value|Ok|env::var_or|literal|Literal)\(\s{0,3}(?:default\s{0,2}=\s{0,2})?)|(?:[A-Za-z_$][\w$.:]{0,60}(?:getenv|env|get|fetch|Getenv|GetEnv|getOrDefault|unwrap_or|get_or|getenv_or)\(\s{0,3}["'][\w.-]{1,60}["']\s{0,3},\s{0,3})|(?:(?:getenv|env|get|fetch)\(\s{0,3}["'][\w.-]{1,60}["']\s{0,3},\s{0,3})|(?:[A-Za-z_][\w.:]{0,40}\(\s{0,3}[A-Za-z_][\w.:]{0,40}\(\s{0,3}["'][\w.-]{1,60}["']\s{0,3}\),\s{0,3})){0,2}(?:[bfruLR@$]{1,2}(?=["'])|(?=["'`]))/y;

/** In brackets on the next line. */
const OPENED = /\(?\r?\n[ \t]{1,40}[bfr]?(?=["'])/y;

type Style = 'data' | 'code' | 'colon' | 'equals' | 'beside';

export function literalAt(text: string, from: number): boolean {
  return at(BEFORE_LITERAL, text, from) !== null || at(OPENED, text, from) !== null;
}

/** The value that begins here: a string, a list of strings, a block of lines, or what the line says. */
export function readValue(text: string, from: number, name: Name, onValue: OnValue, style: Style, separator = '') {
  const literal = at(BEFORE_LITERAL, text, from);
  if (literal)
    return takeQuoted(
      text,
      from + literal[0].length,
      name,
      onValue,
      style === 'data' || name.isExact ? undefined : isNoName(name),
    );
  const first = text[from];
  // A diff of words.
  const changed =
    first === '[' || first === '{' ? at(/(?:\[-([^\s]{4,200}?)-\])?(?:\{\+([^\s]{4,200}?)\+\})?/y, text, from) : null;
  if (changed && changed[0] !== '') {
    const [whole, before, after] = changed;
    if (before !== undefined) take(text, from + 2, from + 2 + before.length, name, onValue);
    if (after !== undefined) take(text, from + whole.length - 2 - after.length, from + whole.length - 2, name, onValue);
    return;
  }
  if (first === '\\' && QUOTE.test(text[from + 1] ?? '')) return;
  const beyond = style !== 'code' ? at(/\\\r?\n[ \t]{1,40}(?=\S)/y, text, from) : null;
  if (beyond) return readValue(text, from + beyond[0].length, name, onValue, style, separator);
  const opened = style === 'colon' || style === 'data' ? null : at(OPENED, text, from);
  if (opened && (name.kind === 'sure' || opened[0].startsWith('(')))
    return takeQuoted(text, from + opened[0].length, name, onValue, isNoName(name));
  if (name.kind === 'sure' && style !== 'colon' && readDelimited(text, from, name, onValue)) return;
  if (first === '[') return readList(text, from + 1, name, onValue);
  if (name.kind === 'sure' && OF_MANY.test(name.text)) {
    if (first === '{') return readMap(text, from + 1, '}', name, onValue);
    const below = at(/[ \t]{0,8}\r?\n(?=[ \t])/y, text, from);
    if (below && style === 'colon') return readMap(text, from + below[0].length, '', name, onValue);
  }
  const wrapped = at(
    /\{\s{0,60}(?:["']?(?:type|sensitive|description)["']?\s{0,3}[:=]\s{0,3}(?:"[^"\n]{0,80}"|\w{1,20})[\s,]{1,30}){0,3}["']?(?:value|default|plaintext|secretString|stringValue|S|#text|_text)["']?\s{0,10}[:=]\s{0,10}(?=["'])/iy,
    text,
    from,
  );
  if (wrapped) return takeQuoted(text, from + wrapped[0].length, name, onValue);
  const tag = at(/(?:[&!][\w!.:/-]{1,60}[ \t]+){1,3}/y, text, from);
  // `!vault |`: what follows is encrypted.
  if (tag && /!(?:vault|secret|env|include|ref|getatt|sub|importvalue)\b/i.test(tag[0])) return;
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
      ? !(isCode(value) && /pass|token|(?<!mon|don|tur|whis|hoc)key|secret|pwd/i.test(value)) &&
        !(
          /^[a-z]+[A-Z][A-Za-z]*$|^[A-Z_]+$|^[a-z]+(?:[-_.][a-z]+)*$/.test(value) &&
          /pass|token|(?<!mon|don|tur|whis|hoc)key|secret|cred|auth/i.test(value) &&
          key.length > 0
        )
      : /\d/.test(value) && !/^[\w.]+\.[a-z]+$/i.test(value);

/** `[[…]]` of Lua, `q{…}` of Perl, `%q(…)` of Ruby, `r#"…"#` of Rust, `R"(…)"` of C++, and the lines of a here-document. */
function readDelimited(text: string, from: number, name: Name, onValue: OnValue): boolean {
  const here = at(/<<[-~]?["']?([A-Z_a-z]\w{0,30})["']?\r?\n/y, text, from);
  const open = here ?? at(/\[=?\[|q[qw]?[{([<|!]|%[qQ]?[{([<|!]|[bc]?r#{1,3}"|R"\w{0,16}\(/y, text, from);
  if (!open) return false;
  const start = from + open[0].length;
  const mark = open[0].slice(-1);
  const close = here
    ? ''
    : open[0].startsWith('[')
      ? ']'
      : mark === '"'
        ? '"#'
        : ({ '{': '}', '(': ')', '[': ']', '<': '>' }[mark] ?? mark);
  const end = here
    ? start - 1 + text.slice(start - 1, start + 600).search(new RegExp(`\\n[ \\t]*${here[1]}\\b`))
    : indexWithin(text, close, start);
  if (end < start || end - start > (here ? 600 : 200)) return false;
  for (let place = start; place < end; ) {
    const stop = Math.min(end, lineEnd(text, place));
    const lead = indentAt(text, place);
    take(text, place + lead, stop, name, onValue);
    place = stop + 1;
  }
  return true;
}

/** Names of what holds a secret for each of several users or services: `passwords: {ann: …}`. */
const OF_MANY = /(?:passwords|passwds|pwds|passphrases|apikeys|api_?keys|secrets|chpasswd|credentials)$/i;
const PAIR =
  /[\s,]{0,80}(?:- )?(?:["']([^"'\n]{1,80})["']|([\w.@+-]{1,80}))[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}(?:"([^"\n]{4,240})"|'([^'\n]{4,240})'|([^\s,{}[\]"'|>]{4,240}(?=[ \t]{0,4}(?:[,}]|\r?\n|$)))|[|>][-+]?(?=\n))/y;

/** The values of a map; without an end, those of the lines that are further to the right. */
function readMap(text: string, from: number, close: string, name: Name, onValue: OnValue) {
  const indent = indentAt(text, lineStart(text, name.start));
  const isLoose = !/pass|pwd/i.test(name.text);
  let place = from;
  for (let count = 0; count < 60; count++) {
    const pair = at(PAIR, text, place);
    if (!pair) return;
    const end = place + pair[0].length;
    const value = pair[3] ?? pair[4] ?? pair[5];
    if (close === '' && indentAt(text, lineStart(text, end)) <= indent) return;
    place = end;
    const key = pair[1] ?? pair[2] ?? '';
    if (value === undefined || ABOUT_SECRETS.test(key) || (isLoose && !looksSecret(value, true))) continue;
    const start = end - value.length - (pair[5] === undefined ? 1 : 0);
    take(text, start, start + value.length, name, onValue);
  }
}

/** What is said about a secret in a list of them. */
const ABOUT_SECRETS =
  /^(?:file|path|name|external|driver|type|url|uri|id|description|environment|version|namespace|source|target|mode|expire|list|ref|key|owner|region|provider|min\w*|max\w*|length|inherit|required|enabled|hash\w*|algorithm|policy)$/i;

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
    // Addresses in a store of secrets: `kv/data/app token | APP_TOKEN`.
    if (trimmed.length >= 4 && !/^[\w-]+\/\S* .*|\s\|\s/.test(trimmed)) {
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
  // `DBPassword:`, and below it `Type: String`, `Default: …`.
  const field = at(
    /[ \t]{0,4}\r?\n([ \t]{1,40})(?:[\w-]{1,40}:[^\n]{0,200}\n\1){0,8}(?:default|value|defaultValue|stringValue):[ \t]{1,8}(?=[^\s|>&!{[])/iy,
    text,
    from,
  );
  if (field && indentAt(text, lineStart(text, name.start)) < (field[1] as string).length) {
    const start = from + field[0].length;
    if (/["']/.test(text[start] as string)) return takeQuoted(text, start, name, onValue);
    const line = text.slice(start, Math.min(lineEnd(text, start), start + 400)).replace(/\s+#.*$/, '');
    return take(text, start, start + line.length, name, onValue);
  }
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
  const words = line.replace(/[.,;]?\s*$/, '');
  if (
    name.kind === 'sure' &&
    isPassphrase(words) &&
    (!words.includes('-') || /pass|pw|kennwort|senha|contras|clave|mdp|phrase/i.test(name.text))
  )
    return take(text, from, from + words.length, name, onValue);
  // Markup is no part of it.
  line = line.slice(
    0,
    /&(?:quot|[lr]dquo|lt|gt|apos|#39|nbsp);|<\/[a-z][\w:.-]{0,40}>|<(?:br?|[ip]|div|span|code|t[dr]|li|ul|strong|em|pre|kbd|font|small|a)[ >/]/i.exec(
      line,
    )?.index ?? line.length,
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
    (/\d/.test(line) || (name.kind === 'sure' && /^\$?[a-z]+(?: [a-z]+){1,5}$/.test(line)))
  )
    value = line;
  else if (inQuery && style === 'equals')
    value = (quoteBefore === "'" ? /^[^\s&"'`<>]*/ : /^[^\s&"`<>]*/).exec(line)?.[0] ?? '';
  else if (quoteBefore === '' && isLine) value = valueOfLine(line, name, style, separator, text, start);
  else if (/[{(,]\s*$/.test(prefix) && style === 'colon')
    value = /^[^\s,"'`]+?(?=\s*(?:[,}\s]|$))/.exec(line)?.[0] ?? '';
  else if (style === 'equals' && /;\s?$/.test(prefix)) value = /^[^;"']{4,80}(?=;)|^[^;"'\s]+/.exec(line)?.[0] ?? '';
  else value = /^[^\s"'`]+/.exec(line)?.[0] ?? '';
  // The quotes of a text within a text.
  value = value.replace(/\\+$/, '');
  value = unpunctuated(value, isLine && !/[,;]/.test(line.slice(-1)));
  if (value.length < 4) return;
  // `[mail]`, `pass: two words`, `host: …`
  if (
    name.text === 'pass' &&
    isLine &&
    SERVER.test(text.slice(Math.max(0, start - 120), stop + 120)) &&
    isConfigAround(text, start, stop)
  )
    return take(text, from, from + line.trimEnd().length, { ...name, kind: 'sure' }, onValue);
  const isUpper = /^[A-Z0-9_.]+$/.test(name.text) && style === 'equals' && separator === '=';
  const isProperty =
    style === 'equals' && separator === '=' && name.kind === 'sure' && /^[a-z]+(?:[.-][a-z]+)+$/.test(name.text);
  // `Server=db;Pwd=Cs_Harp(2);`
  // `mail.smtp.pass=If({x8`: no code leaves brackets open at the end of its line.
  const isBroken =
    isProperty && /\d/.test(value) && (value.match(/[({[]/g)?.length ?? 0) !== (value.match(/[)}\]]/g)?.length ?? 0);
  const isSettingOfMany = style === 'equals' && /;\s?$/.test(prefix) && name.kind === 'sure';
  if (
    !isSettingOfMany &&
    !isBroken &&
    !(isProperty && /^[A-Za-z]+\(\d+\)$/.test(value)) &&
    isCodeValue(value, text.slice(from, from + value.length + 2)) &&
    !(isLine && (isMixed(value) || (isUpper && /[<>]\w+$/.test(value))) && isConfigAround(text, start, stop)) &&
    !(isProperty && /[<>]\w+$/.test(value))
  )
    return;
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
    const isBeside = style === 'beside' && name.kind === 'sure';
    const isShell = isUpper && !/^[A-Z]+(?:_[A-Z]+)+$/.test(value) && name.kind === 'sure';
    const isFlow = /^\s*[\w-]+: \{ /.test(text.slice(start, name.start)) && /\}\s*$/.test(text.slice(start, stop));
    isTold =
      name.kind === 'sure' &&
      value.length >= 6 &&
      (inQuery ||
        isFlow ||
        isQuotedWhole ||
        (quoteBefore !== '' && separator === '=' && /-/.test(value) && /[A-Z]/.test(value)) ||
        isAlone(text, name, start, from, stop, value));
    if (
      !isShell &&
      !isTold &&
      !isBeside &&
      !isSetting(text, name, start, from, stop, value) &&
      !(name.kind === 'sure' && isConfig())
    )
      return;
  } else if (
    name.kind === 'maybe' &&
    !isConfig() &&
    !(/\d/.test(value) && value.length >= 8 && (isLine || inQuery || looksSecret(value, false)))
  )
    return;
  if (/^[A-Za-z ,'’-]+[.:?!]?$/.test(value) && value.includes(' ') && !/PHRASE$/.test(name.text) && !isConfig()) return;
  if (/^\d{1,5}$/.test(value) || (/^[\d.,:x-]+$/.test(value) && name.kind === 'maybe')) return;
  if (style === 'colon' && (name.text.includes(' ') || !isLine) && isOrdinary(value.replace(/[.,;]$/, ''))) return;
  if (style === 'colon' && !isTold && !isLine && !/\d|[^\w\s.,;:'’)(-]/.test(value)) return;
  take(text, from, from + value.length, isExactly(name) && isIdentifier ? { ...name, isExact: true } : name, onValue);
  if (value.length >= 20 && text.includes('│', start)) readWrapped(text, from + value.length, value, onValue);
}

/** What a frame of a terminal has cut goes on behind its line. */
function readWrapped(text: string, from: number, value: string, onValue: OnValue) {
  if (!looksRandom(value)) return;
  for (let place = from, count = 0; count < 20; count++) {
    const next = at(
      /[ \t│]{0,8}\r?\n[ \t\d]{0,10}│[ \t]{0,4}([\w+/=.-]{6,400})(?=[ \t│]{0,8}(?:\r?\n|$))/y,
      text,
      place,
    );
    if (!next) return;
    place += next[0].length;
    onValue(place - (next[1] as string).length, place);
  }
}

const SERVER = /^\s*(?:user(?:name)?|login|host|server|e?mail)\s*[:=]/im;

/** Brackets within a password: no brackets of code end it. */
const isMixed = (value: string): boolean =>
  /\d/.test(value) && /[A-Za-z]/.test(value) && !/[)\]},;>]$|[$"'=.]|\(\)/.test(value);

/** Whether a key in lower case and a word are all that the line has, as in YAML: `password: sunshine`. */
function isSetting(text: string, name: Name, start: number, from: number, stop: number, value: string): boolean {
  const line = /^[ \t]*(?:\d{1,6}[\t→|:] ?[ \t]*)?(?:- )?$/.exec(text.slice(start, name.start));
  return (
    line !== null &&
    /^[ \t]{0,4}: [ \t]*(?:&\w+ )?$/.test(text.slice(name.end, from)) &&
    /^[a-z]{6,24}$/.test(value) &&
    text
      .slice(from, stop)
      .replace(/\s+#.*$/, '')
      .trim() === value &&
    !WORD_OF_STATE.test(value) &&
    (name.kind === 'sure' || isExactly(name)) &&
    // One of settings, or all of the text.
    (isConfigAround(text, start, stop) || text.length - (stop - start) < 4)
  );
}

/** Whether a label and a word are all that the line has: `Root password: sunshine`. Words about passwords end as adjectives do. */
export function isAlone(text: string, name: Name, start: number, from: number, stop: number, value: string): boolean {
  return (
    value.length >= 8 &&
    text.slice(from, stop).trim() === value &&
    /^[ \t]*(?:[-*] )?(?:[A-Z][\w-]* (?:[\w-]+ ){0,3})?$/.test(text.slice(start, name.start)) &&
    /^[A-Z]/.test(text.slice(start, name.end).trim()) &&
    /^[a-z]+$/.test(value) &&
    !WORD_OF_STATE.test(value)
  );
}

export const WORD_OF_STATE =
  /(?:ed|al|ory|able|ible|ect|ing|ent|ive|ly|word|phrase|token|secret|tion|ment|ous|ies|ings|here|only)$/;

const LINE_BEGIN =
  /^[ \t]*(?:\d{1,6}[\t→|:-] ?|[\w./-]{1,80}:\d{1,6}:[ \t]*|[+-](?![+-])[ \t]*)?(?:[-*] )?(?:export |set (?:-\w+ )*|declare -\w+ |local |readonly |typeset -x |ENV |ARG |\$env:|\$|setx |env )?(?:[\w.-]+\.|[A-Z][\w-]* (?:[\w-]+ ){0,2})?["']?$/i;

/** What the line says behind its separator, without a comment. */
function valueOfLine(said: string, name: Name, style: Style, separator: string, text: string, start: number): string {
  const line = said.replace(/\s+#\s.*$/, '');
  const isTight = style === 'equals' && separator === '=';
  // In a shell a command may follow.
  if (isTight && /^[A-Z0-9_]+$/.test(name.text)) {
    const words = /^[\p{L}\w.!?$@#%&*+-]+(?: [\p{L}\w.!?$@#%&*+-]+){1,8}$/u.exec(line)?.[0];
    const isPhrase =
      words !== undefined &&
      !/ -|&&|[;|]| & [a-z]/.test(words) &&
      name.kind === 'sure' &&
      ((/PHRASE$/.test(name.text) && /^[a-z]{3,}(?: [a-z]{3,}){2,7}$/.test(words)) ||
        isConfigAround(text, start, start));
    return isPhrase ? words : (/^[^\s]*/.exec(line)?.[0] ?? '');
  }
  const whole = line.replace(/\s+[#;](?:\s.*)?$/, '').trimEnd();
  if (!/\s/.test(whole)) return whole;
  const isProse = /^[A-Z][a-z.]* |^[A-Z] /.test(whole) && !/\d/.test(whole);
  if (isProse || whole.split(/\s+/).length > 6 || /[.!?]$/.test(whole)) return /^\S*/.exec(line)?.[0] ?? '';
  // `jasypt.encryptor.password : …`
  if (/^[a-z]+(?:[.-][a-zA-Z]+){2,}$/.test(name.text) && name.kind === 'sure') return whole;
  return isConfigAround(text, start, start) ? whole : (/^\S*/.exec(line)?.[0] ?? '');
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
  /^\s*(?:[#;].*|\[[^\]]*\]|---|\.\.\.|(?:- )?["']?[\w./-]+["']?\s*[:=](?:\s.*|[^=>~(].*)?|- .*|\S{0,20}[>$#] .*|@@ .*|(?:```|~~~)\w{0,12}\s*$|\*{5,}.*|\d+ rows? in set.*|export \w+=.*|<<:.*)$/;
