// Values by their names, in whatever has names and values: data, configuration, code, commands, markup, tables.
// A reader, not a parser: it begins at a name, wherever that stands, so that broken and mixed texts are read as well as whole ones.

import { LABEL_END, nameAt, readCompared, readHeading, readLabelled } from './read-label.ts';
import { readColumn, readElement, readPlist } from './read-table.ts';
import { literalAt, readValue } from './read-value.ts';
import {
  at,
  endOfQuoted,
  indexWithin,
  lineEnd,
  lineStart,
  type Name,
  type OnValue,
  openQuote,
  QUOTE,
  skip,
} from './scan-text.ts';
import { isExactly, take, takeQuoted } from './take-value.ts';
import { isPassphrase, isStandIn, looksSecret } from './value-looks.ts';

/** What calls, ends or goes on: nothing is named there. */
const NO_VALUE_AFTER = /[;/\\^%@$~!+]/;

/** Reads what the name at this place names. Returns up to where it need not be read again for the sake of this name. */
export function readNamed(text: string, hit: number, onValue: OnValue): number {
  const name = nameAt(text, hit);
  if (name === undefined) return hit + 1;
  if (name.kind === 'none') return name.end;
  // `@PSK_8: …` describes a constant.
  if (text[name.start - 1] === '@' && !/^ *(?:["'=]|:=|N?(?:VAR)?CHAR\b)/i.test(text.slice(name.end, name.end + 12)))
    return name.end;
  if (text[name.end] === ';') readColumn(text, name, onValue);
  if (NO_VALUE_AFTER.test(text[name.end] ?? '')) return name.end;
  // `set /p PASSWORD=Enter it: ` asks.
  if (text.startsWith('set /p ', name.start - 7)) return name.end;
  // The name of a secret in a store of AWS, and what is said about those that were redacted before.
  if (/:\d{12}:$|\[redacted:[a-z-]*$/.test(text.slice(Math.max(0, name.start - 40), name.start))) return name.end;
  if (text.startsWith('${', name.start - 2)) {
    readDefault(text, name, onValue);
    // `${NAME:?must be set}`: the text of an error.
    if (/^:?[?+]/.test(text.slice(name.end, name.end + 2))) return name.end;
  }
  readAfter(text, name, onValue);
  return name.end;
}

/** `${NAME-default}`; with a colon, the value behind it is read as any other. */
function readDefault(text: string, name: Name, onValue: OnValue) {
  // `${app.password:…}` of Spring
  const spring = name.text.includes('.') && at(/:[^{}$\n"]{4,200}\}/y, text, name.end);
  const value = spring ? spring[0].slice(1, -1) : at(/:?[-=]([^{}$\n"'`]{4,200})\}/y, text, name.end)?.[1];
  const from = text.indexOf('}', name.end) - (value?.length ?? 0);
  if (value !== undefined) take(text, from, from + value.length, name, onValue);
}

/** Types between a name and its value: `: &'static str =`, ` string =`, `?: string | null =`, ` { get; set; } =`, `: str = Field(default=`. */
const TYPED =
  /\??[ \t]{0,4}(?::[ \t]{0,4}|[ \t])(?:&?(?:'static[ \t]+)?(?:(?:\[\]|\*)(?:const[ \t])?)?(?:[A-Za-z_][\w.:]{0,40})(?:[<[][\w ,.|&'[\]]{0,60}[>\]])?(?:\[\])?\??)(?:[ \t]{0,3}\|[ \t]{0,3}\w{1,20}){0,3}[ \t]{0,4}=(?![=>~])[ \t]{0,4}/y;

const PROPERTY = /[ \t]{0,4}\{[ \t]{0,4}get;[^{}\n]{0,40}\}[ \t]{0,4}=[ \t]{0,4}/y;

/** Types, boxes and dots between a name and a literal: ` As String = "`, `: str = field(default="`, ` by lazy { "`, `........"`. */
const GAP =
  /(?:[ .:]{1,60}(?:[A-Za-z_][\w.]{0,30}[ \t:=<({[\]>.)]{1,4}){1,5}|[ .]{0,2}\.{3,60} ?|(?<=(?:[ {]:|@)[\w-]{1,40}) )(?<=[ .:=({])(?=["'][^\s"']{6,200})/y;

const SEPARATOR = /[ \t]{0,40}(:=|::(?= ["'])|=>|→|⇒|\?=|\?\?=|\|\|=|<-(?= )|={1,3}|:(?![:=]))[ \t]{0,40}/y;

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
  if (/[#."'=]/.test(before) && /["']/.test(next) && name.kind === 'sure') {
    const into = at(TYPED_INTO, text, name.end);
    if (into && INTO_FIELD.test(lineBefore(text, name)))
      return takeQuoted(text, name.end + into[0].length, name, onValue);
  }
  if (before === '#' && /["']/.test(next)) readBesideBefore(text, name, onValue);
  // `:password "…"` of Clojure
  if (before === ':' && /[\s{(,]/.test(text[name.start - 2] ?? '') && next === ' ' && text[name.end + 1] === '"')
    return takeQuoted(text, name.end + 1, name, onValue);
  // `{ "App:Password", "…" }`, `(System/setProperty "db.password" "…")`
  const pair = /["']/.test(next) && name.kind === 'sure' ? at(/["'],? (?=")/y, text, name.end) : null;
  if (
    pair &&
    /\{ ?"[\w:.]{1,40}:$|\([\w/.-]*(?:[sS]et|put|assoc)[\w/.-]* (?:[\w-]+ )?"[\w.]{0,40}$/.test(lineBefore(text, name))
  )
    return takeQuoted(text, name.end + pair[0].length, name, onValue);
  if (opener !== '' && next === opener) {
    if (text[name.start - 2] === '\\') return;
    readAfterQuoted(text, name, opener, onValue);
    return;
  }
  // `"Name": "/prod/db/password", "Type": "SecureString", "Value": "…"`
  if (
    /["']/.test(next) &&
    /[/.]/.test(before) &&
    NAMED_PATH.test(text.slice(Math.max(0, name.start - 120), name.start))
  )
    return readBeside(text, name, name.end + 1, onValue);
  if (before === '<' || (before === ':' && /<[\w-]{1,30}:$/.test(text.slice(Math.max(0, name.start - 32), name.start))))
    return readElement(text, name, onValue) ? undefined : readAssigned(text, name, onValue);
  if (before === '>' && next === '<') {
    // `<b>Password</b>: …`
    const label = at(LABEL_END, text, name.end);
    return label ? readLabelled(text, name.end + label[0].length, name, onValue) : readPlist(text, name, onValue);
  }
  // `{cookie_secret, "…"}` of Erlang
  const tuple = before === '{' && name.kind === 'sure' ? at(/, {0,2}(?:<<)?(?=")/y, text, name.end) : null;
  if (tuple) return takeQuoted(text, name.end + tuple[0].length, name, onValue);
  readAssigned(text, name, onValue);
  readColumn(text, name, onValue);
}

const NAMED_PATH = /["'](?:name|key|id|path)["']\s{0,4}:\s{0,4}["'][\w./:-]{0,100}$/i;

/** `--password X`, `--password=X`, and as an item of a list. */
function readOption(text: string, name: Name, mark: string, onValue: OnValue) {
  const isListed = QUOTE.test(mark) && text[name.end] === mark;
  if (name.kind === 'maybe' && name.text !== 'token' && name.text !== 'pass' && !/token$|pass$/.test(name.text)) return;
  if (isListed) {
    const list = at(/\s{0,40},?\s{0,40}/y, text, name.end + 1);
    const from = name.end + 1 + (list?.[0].length ?? 0);
    const fallback = at(
      /(?:[\w]{1,20}\s{0,2}=\s{0,2}(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w.]{1,40}),\s{1,40}){0,6}default\s{0,2}=\s{0,2}(?=["'])/y,
      text,
      from,
    );
    if (fallback) return takeQuoted(text, from + fallback[0].length, { ...name, kind: 'sure' }, onValue);
    if (list?.[0].includes(',') && QUOTE.test(text[from] ?? ''))
      takeQuoted(text, from, { ...name, kind: 'sure' }, onValue, (value) => !value.startsWith('--'));
    return;
  }
  // `- --password=…`, an item of a list in YAML
  if (
    mark === ' ' &&
    text[name.end] === '=' &&
    /^\s*- -{1,2}$/.test(text.slice(lineStart(text, name.start), name.start)) &&
    !QUOTE.test(text[name.end + 1] ?? '')
  )
    return take(text, name.end + 1, lineEnd(text, name.end), { ...name, kind: 'sure' }, onValue);
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
  if (
    word === undefined ||
    /^(?:\[|\{|\$)|^(?:options?|flags?|arguments?|parameters?|switch(?:es)?|prompt|instead|because|without|before|after|values?|together|respectively)\.?$/i.test(
      word,
    )
  )
    return;
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
  const typed = name.kind === 'sure' ? at(TYPED_INTO, text, name.end) : null;
  if (typed && INTO_FIELD.test(lineBefore(text, name)))
    return takeQuoted(text, name.end + typed[0].length, name, onValue);
  // `["password"]=> string(12) "…"`
  // An answer of Redis: a name, and below it its value.
  // `s:8:"password";s:16:"…"` of PHP
  const serial = name.kind === 'sure' ? at(/;s:\d{1,5}:(?=")/y, text, from) : null;
  if (serial) return takeQuoted(text, from + serial[0].length, name, onValue);
  // `'["db"]["password"] "…"'`
  const keyed = name.kind === 'sure' ? at(/\] (?=")/y, text, from) : null;
  if (keyed && text[name.start - 2] === '[') return takeQuoted(text, from + keyed[0].length, name, onValue);
  const listed = at(/\r?\n\s{0,8}\d{1,4}\) (?=")/y, text, from);
  if (listed && /\d\) $/.test(text.slice(Math.max(0, name.start - 8), name.start - 1)))
    return takeQuoted(text, from + listed[0].length, name, onValue);
  const dumped = at(/\]?=>\s{1,20}string\(\d{1,5}\) (?=")/y, text, from);
  if (dumped) return takeQuoted(text, from + dumped[0].length, name, onValue);
  const bracket = at(/\s{0,4}[\])}]\s{0,4}(?:\|\|)?(?==(?!=)|: )/y, text, from);
  if (bracket) from += bracket[0].length;
  const fallback = at(
    /[)\]](?:\s{0,20}\.(?:ok\(\)\.)?(?:unwrap_or\w*|or_else|orElse|getOrElse|defaultTo|withDefault)\((?:\|\w*\| ?|\(\) ?(?:->|=>) ?)?|\s{0,3}\{\s{0,3}|\s{0,3}(?:\|\||\?\?|\?:|or)\s{0,3})(?=["'])/y,
    text,
    from,
  );
  if (fallback) return takeQuoted(text, from + fallback[0].length, name, onValue);
  const separator = at(/\s{0,40}(:(?!:)|=>|={1}(?!=)|:=|,|->|to(?= "))\s{0,200}/y, text, from);
  if (
    /(?:name|key|label|selector|element|field|id|setting|option|variable|param)(?:["'][ \t]{0,4}:|[ \t]{0,2}=)[ \t]{0,4}["']$/i.test(
      text.slice(Math.max(0, name.start - 24), name.start),
    )
  )
    readBesideBefore(text, name, onValue);
  if (!separator) return readBeside(text, name, from, onValue);
  const value = from + separator[0].length;
  if (separator[1] === ',') {
    // `define('DB_PASSWORD', '…')`, `getenv("TOKEN", "…")`; a list of names has no bracket right before its first and none after the second.
    const open = /([\w.$:>]{0,40})\(\s{0,4}$/.exec(text.slice(Math.max(0, name.start - 48), name.start - 1));
    if (open && QUOTE.test(text[value] ?? '')) {
      const isPair =
        open[1] === '' && name.kind === 'sure' && at(/(["'])[^"'\n]{4,200}\1\s{0,4}\)/y, text, value) !== null;
      if (isPair)
        return takeQuoted(
          text,
          value,
          name,
          onValue,
          (word) => /\d|-.*-/.test(word) || isPassphrase(word) || IN_INSERT.test(lineBefore(text, name)),
        );
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
    // `Map.of("user", "ann", "password", "…")`, `setattr(x, "password", "…")`, `[["password", "…"]]`
    if (name.kind === 'sure' && QUOTE.test(text[value] ?? '') && HOLDS_PAIRS.test(lineBefore(text, name)))
      return takeQuoted(text, value, name, onValue);
    if (name.kind === 'sure' && IN_INSERT.test(lineBefore(text, name)))
      return takeQuoted(text, value, name, onValue, (word) => !/^[a-z_]+$/.test(word) || word.length > 10);
    if (name.kind === 'sure' && /[[(]\s{0,4}$/.test(text.slice(Math.max(0, name.start - 6), name.start - 1)))
      return takeQuoted(
        text,
        value,
        name,
        onValue,
        (word) => /\d|\S [^A-Z]/.test(word) && /[\])]/.test(text[value + word.length + 2] ?? ''),
      );
    return readBeside(text, name, from, onValue);
  }
  // `{"user": "…", "pass": "two words 7"}`, `"pin": "812184"`
  if (separator[1] === ':' && quote === '"' && /^(?:pass|pin)$/i.test(name.text)) {
    const number = name.text.length === 3 ? at(/\d{4,12}(?=\s{0,4}[,}\n])/y, text, value)?.[0] : undefined;
    if (number !== undefined) return onValue(value, value + number.length);
    const said = at(/"([^"\\\n]{4,120})"/y, text, value)?.[1];
    const isBesideUser =
      /"(?:user(?:name)?|login|e?mail|host)"/i.test(text.slice(Math.max(0, name.start - 120), value + 160)) &&
      name.text.length === 4;
    if (
      said !== undefined &&
      (/^\d{4,12}$/.test(said) || (isBesideUser && said.split(' ').length < 6 && !isStandIn(said)))
    )
      return onValue(value + 1, value + 1 + said.length);
  }
  readValue(
    text,
    value,
    separator[1] === ':' && isExactly(name) ? { ...name, isExact: true } : name,
    onValue,
    quote === '`' ? 'code' : 'data',
  );
  if (separator[1] === '=' || separator[1] === ':') readBeside(text, name, from, onValue);
}

const lineBefore = (text: string, name: Name): string =>
  text.slice(Math.max(lineStart(text, name.start), name.start - 160), name.start);
/** What a test types into a field: `fill('#password', '…')`, `get('[name="pw"]').type('…')`, `fill in "Password" with "…"`. */
const TYPED_INTO =
  /["']?\]?["'](?:\){0,2}(?:\.(?:type|fill|sendKeys|send_keys|setValue|typeText|clearAndType|press_?[sS]equentially)\(| ?, ?(?:with: ?)?)| (?:field )?with )(?=["'])/y;
const INTO_FIELD =
  /\b(?:fill(?:_in|Field)?|type|locator|get|find\w*|(?:get|find|query)By\w+|By\.\w+|by_label\w*|fills?(?: in)?|enters?|types?)(?:\( ?| )["'][\w[\]="'#. -]{0,24}$/;
const IN_INSERT = /\binsert\s+into\b/i;
const HOLDS_PAIRS =
  /\b(?:(?:Immutable)?Map\.of|setattr|assoc|put_in|hmset|HMSET|hash_map|Object\.fromEntries)\([^)\n]*$/;

/** The value in a field of its own: `{"name": "TOKEN", "value": "…"}`, `variable "token" { default = "…" }`, `<add key="…" value="…">`. */
function readBeside(text: string, name: Name, from: number, onValue: OnValue) {
  const beside = at(
    /[\s,;>:={}[\]]{0,60}(?:["']?(?:type|description|sensitive|secure|masked|hidden|kind|scope|enabled|required|env_var|label|group|environment|env|comment|profile|category|id|version)["']?\s{0,20}[:=]\s{0,3}(?:"[^"\n]{0,120}"|'[^'\n]{0,120}'|[\w.]{1,40})[\s,;]{1,20}){0,4}["']?(?:[a-z]{1,20}:|parameter)?(?:value|text|new_value|newValue|default|defaultValue|default_value|stringValue|string_value|plaintext|content|secret_value|initialValue)["']?\s{0,40}[:=]\s{0,40}/iy,
    text,
    from,
  );
  if (beside) return readValue(text, from + beside[0].length, name, onValue, 'beside');
  // `Content-Disposition: form-data; name="password"`
  const part = at(/(?:;[^\n]{0,100})?\r?\n(?:[\w-]+: [^\n]{0,100}\n){0,3}\r?\n(?=\S)/y, text, from);
  if (part && /form-data;[^\n]{0,60}$/.test(text.slice(Math.max(0, name.start - 90), name.start))) {
    const start = from + part[0].length;
    return take(text, start, lineEnd(text, start), name, onValue);
  }
  // `<property name="password"><value>…</value>`
  const child = at(/[^<>\n]{0,80}>\s{0,40}<(?:value|string|data)>\s{0,40}/iy, text, from);
  if (child) {
    const start = from + child[0].length;
    const end = indexWithin(text, '<', start);
    if (end > 0) take(text, start, end, name, onValue);
    return;
  }
  const element = at(/[^<>\n]{0,80}>(?=[^<\s])([^<>\n]{3,400})<\//y, text, from);
  // `<string name="api_key">…</string>`
  if (element && /<[\w:.-]{1,40}[^<>\n]{0,120}=$/.test(text.slice(Math.max(0, name.start - 180), name.start - 1))) {
    const start = from + element[0].length - 2 - (element[1] ?? '').length;
    return take(text, start, start + (element[1] ?? '').length, name, onValue);
  }
  readColumn(text, name, onValue);
}

/** `{"value": "…", "name": "TOKEN"}`, and the same in YAML. */
function readBesideBefore(text: string, name: Name, onValue: OnValue) {
  const from = Math.max(0, name.start - 300);
  const before =
    /["']?(?:\b|_)(?:value|text)["']?\s{0,4}[:=]\s{0,4}(?:"([^"\n]{4,240})"|'([^'\n]{4,240})'|([^\s"',]{4,240}))\s{0,8}(?:,|where\b)?\s{0,20}["']?(?:\w{1,16}_)?(?:name|key|selector|element|field|label|ref|id|setting|option|variable|param)["']?\s{0,4}[:=]\s{0,4}["']?#?$/i.exec(
      text.slice(from, name.start),
    );
  const value = before?.[1] ?? before?.[2] ?? before?.[3];
  if (!before || value === undefined) return;
  const start = from + before.index + before[0].indexOf(value, before[0].search(/[:=]/));
  take(text, start, start + value.length, name, onValue);
}

/** `let(:password) { '…' }`, `receive(:password).and_return('…')`, `expect(x.password).toBe('…')`, `read -r pw <<< '…'`, `{{ pw | default('…') }}`. */
const SPOKEN =
  /(?:\)(?: \{ ?|\.and_return\(|\.(?:toBe|toEqual|toStrictEqual|to\.equal|to\.eql?)\()| <<< ?| ?\| ?default\( ?| N?(?:VAR)?CHAR(?:\(\w{1,5}\))? = N?| => <<|["']?(?: --?[\w-]{1,30}(?: [\w:/-]{1,40})?){0,3} --(?:value|secret-string)[ =])(?=["'])/y;
const TYPE_BEFORE = /(?:[sS]tring|string_view|auto|char)[*&]? $/;

/** Behind a name without quotes. */
function readAssigned(text: string, name: Name, onValue: OnValue) {
  const setter = at(/\(\s{0,4}(?=["'`])/y, text, name.end);
  if (setter) {
    // `.password("X1!")`
    if (text[name.start - 1] === '.' && /^[a-z_]+$/i.test(name.text) && name.kind === 'sure')
      takeQuoted(
        text,
        name.end + setter[0].length,
        name,
        onValue,
        (value) =>
          /^\S*[^\w\s.,-]\S*$|\d|-.*-|^\$/.test(value) ||
          isPassphrase(value) ||
          (/^[a-z]{8,}$/.test(value) && value.length > 10),
      );
    // `std::string password("…")`
    else if (name.kind === 'sure' && TYPE_BEFORE.test(text.slice(Math.max(0, name.start - 24), name.start)))
      takeQuoted(text, name.end + setter[0].length, name, onValue);
    if (
      /^(?:set|with|use)?[A-Z]\w*$|^(?:set|with)_\w+$|\.(?:set|with|With|Set|Use)[A-Z_]\w*$/.test(name.text) &&
      text.slice(name.start - 4, name.start) !== 'new '
    )
      takeQuoted(
        text,
        name.end + setter[0].length,
        name,
        onValue,
        (value) => !/\s/.test(value) || /[\d$#@]/.test(value) || isPassphrase(value),
      );
    return;
  }
  const braced =
    text[name.end] === '{' && TYPE_BEFORE.test(text.slice(Math.max(0, name.start - 24), name.start))
      ? at(/\{ ?(?=")/y, text, name.end)
      : null;
  if (braced) return takeQuoted(text, name.end + braced[0].length, name, onValue);
  const spoken = at(SPOKEN, text, name.end);
  if (spoken && (name.kind === 'sure' || !spoken[0].includes('to')))
    return takeQuoted(
      text,
      name.end + spoken[0].length,
      name,
      onValue,
      /^\)\.(?:to|should)/.test(spoken[0]) ? (value) => /\d/.test(value) : undefined,
    );
  const lazy =
    name.kind === 'sure' ? at(/ by \w{1,20}(?: \{|\() ?(?=")|: \w{1,20} by \w{1,20} \{ ?(?=")/y, text, name.end) : null;
  if (lazy) return takeQuoted(text, name.end + lazy[0].length, name, onValue);
  const typed = at(TYPED, text, name.end) ?? at(PROPERTY, text, name.end) ?? at(/ As String = (?=")/iy, text, name.end);
  if (typed && literalAt(text, name.end + typed[0].length))
    return readValue(text, name.end + typed[0].length, name, onValue, 'code');
  const otherwise = at(/ (?:or|\|\||\?\?|\?:) (?=["'])/y, text, name.end);
  if (otherwise) {
    const isEnvironment = /^(?:process\.env|import\.meta\.env|env)\.[A-Z]/.test(name.text);
    return takeQuoted(text, name.end + otherwise[0].length, isEnvironment ? name : { ...name, kind: 'maybe' }, onValue);
  }
  const gap =
    name.kind === 'sure' && !/[=:]/.test(text[name.end] ?? '') && text[name.start - 1] !== '@'
      ? at(GAP, text, name.end)
      : null;
  if (gap)
    return takeQuoted(
      text,
      name.end + gap[0].length,
      name,
      onValue,
      (value) => /\d/.test(value) && looksSecret(value, true),
    );
  const tagged =
    name.kind === 'sure'
      ? at(/[:：]\s{0,3}<(?:code|b|kbd|strong|span|tt|em|i)>([^<\n]{4,200})(?=<)/y, text, name.end)
      : null;
  if (tagged) {
    const end = name.end + tagged[0].length;
    return take(text, end - (tagged[1] as string).length, end, name, onValue);
  }
  const label = at(LABEL_END, text, name.end);
  if (label) return readLabelled(text, name.end + label[0].length, name, onValue);
  if (readHeading(text, name, onValue)) return;
  // `[password] => …`, as PHP prints it
  const printed =
    name.kind === 'sure' && /^\s*\[$/.test(text.slice(lineStart(text, name.start), name.start))
      ? at(/\] => (?=\S)/y, text, name.end)
      : null;
  if (printed) return take(text, name.end + printed[0].length, lineEnd(text, name.end), name, onValue);
  const bracket = at(/(?:\[\w{0,12}\]|["']?[\])}]{0,2})(?=[ \t]{0,4}=)/y, text, name.end)?.[0] ?? '';
  const separator = at(SEPARATOR, text, name.end + bracket.length);
  if (separator) {
    const from = name.end + bracket.length + separator[0].length;
    // `read -rsp "Passphrase: " NAME`: the quote ends what is asked.
    if (QUOTE.test(text[from] ?? '') && openQuote(lineBefore(text, name)) === text[from]) return;
    const mark = separator[1] as string;
    if (mark === '==' || mark === '===') return readCompared(text, from, name, onValue);
    readValue(
      text,
      from,
      name,
      onValue,
      mark === ':' || mark === '→' ? 'colon' : mark === '=' ? 'equals' : 'code',
      separator[0],
    );
    return readBeside(text, name, name.end, onValue);
  }
  if (/(?:name|key)["']?[ \t]{0,4}[:=][ \t]{0,4}$/i.test(text.slice(Math.max(0, name.start - 20), name.start))) {
    readBesideBefore(text, name, onValue);
    return readBeside(text, name, name.end, onValue);
  }
  if (text.slice(name.start - 2, name.start) === '? ') {
    const complex = at(/[ \t]{0,4}\r?\n[ \t]{0,40}:[ \t]{1,8}/y, text, name.end);
    if (complex) return readValue(text, name.end + complex[0].length, name, onValue, 'colon');
  }
  // `setopt(handle, OPT_PASSWORD, "…")`
  const argument = name.kind === 'sure' && text[name.end] === ',' ? at(/, ?(?=["'])/y, text, name.end) : null;
  if (argument && /\b\w*(?:set|opt|put|add|property)\w*\([^()\n]{0,80}$/i.test(lineBefore(text, name))) {
    const from = name.end + argument[0].length;
    const pair = /userpwd$/i.test(name.text) ? at(/["'][^\s"':]{1,60}:/y, text, from) : null;
    if (!pair) return takeQuoted(text, from, name, onValue);
    return take(text, from + pair[0].length, endOfQuoted(text, from + 1, text[from] as string), name, onValue);
  }
  readDirective(text, name, onValue);
}

/** `ENV NAME value`, `setenv NAME value`, `set -gx NAME value`, `requirepass value`, `PASSWORD 'value'`, `#define NAME "value"`. */
function readDirective(text: string, name: Name, onValue: OnValue) {
  const from = skip(text, name.end);
  if (from === name.end) return;
  const line = text.slice(Math.max(0, name.start - 200, lineStart(text, name.start)), name.start);
  if (QUOTE.test(text[from] ?? '')) {
    // `machine mail login ann password "…"`
    if (name.kind === 'sure' && /^\s*(?:machine\s+\S+|default)\s.*$|\blogin\s+\S+\s+$/.test(line))
      return takeQuoted(text, from, name, onValue);
    // `Bind "cn=reader" with BindPassword "…"`
    if (name.kind === 'sure' && /\b(?:with|using|set)\s+$/.test(line))
      return takeQuoted(text, from, name, onValue, (value) => /\d/.test(value));
    const isDirective =
      /(?:^|\s)(?:ENV|ARG|setenv|[sS]etEnv|set(?: -[a-zA-Z]+)*(?: --\w+)*|#\s?define|setx|defp?|configure set|config set(?: --\w+)*|config(?: --\w+)*|secret set|variable|\(def\w*|\(setq|--arg(?:json)?|H?SET \S{1,60}|h?set \S{1,60}|\w*set_header|add_header|header_up|[Hh]eader set)\s+(?:\$|[\w./-]{1,60}:)?$|^\s*@$|\bset\($|\b(?:CREATE|create) [^;]{0,40}(?:SECRET|secret)\b[^;]{0,100}$/.test(
        line,
      ) ||
      (/^(?:PASSWORD|password)$/.test(name.text) &&
        (text[from] === "'" || /^\s*\w*\s*$/.test(line)) &&
        /(?:^|\b)(?:ROLE|USER|role|user|WITH|with|ENCRYPTED|encrypted)\b[^\n;]{0,160}$/.test(line)) ||
      (name.kind === 'sure' &&
        /^[A-Za-z][A-Za-z_-]*$/.test(name.text) &&
        /(?:^|[{;])[ \t]*$/.test(line) &&
        openQuote(line) === '' &&
        at(/"[^"\n]{4,100}"[ \t]*(?:\r?\n|[};]|$)|'[^'\n]{4,100}'[ \t]*(?:\r?\n|[};]|$)/y, text, from) !== null);
    if (isDirective) {
      if (/variable\s+$/.test(line)) return;
      // An import of Go and the name it is given.
      takeQuoted(text, from, name, onValue, (value) => !/^[\w-]+(?:\.[\w-]+)+\/[\w./-]+$/.test(value));
    }
    return;
  }
  const isWordy =
    (name.text === 'insecure-password' && /(?:^|\s)user \S{1,40} $/.test(line)) ||
    /(?:^|[\s+])(?:ENV|ARG|setenv|set(?: -[a-zA-Z]+)+|setx|configure set|config set|git config(?: --\w+)?|SetEnv)\s+(?:\/\/[\w./-]{1,80}:)?$/.test(
      line,
    ) ||
    (name.kind === 'sure' &&
      /^[a-z]+(?:[a-z_-]*[a-z])?$/i.test(name.text) &&
      /^(?:[ \t]*(?:\d{1,6}[→|:]?)?[ \t]*|[+-])$/.test(line) &&
      // A directive and its value are all that the line has: `requirepass …`, `bindpw …`, `remote_password …`.
      at(/[^\s"'`]{6,100}[ \t]*(?:\r?\n|$)/y, text, from) !== null &&
      (/^(?:requirepass|masterauth|bindpw|rootpw)$/.test(name.text) ||
        /\d|[^\w.,;:]/.test(at(/[^\s"'`]{6,100}/y, text, from)?.[0].replace(/[.,;:!?]+$/, '') ?? '')));
  if (!isWordy) return;
  const word = at(/[^\s"'`]{4,400}/y, text, from)?.[0];
  if (word !== undefined) take(text, from, from + word.length, name, onValue);
}
