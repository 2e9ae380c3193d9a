// Columns whose head names a secret, rows that begin with the name of one, and elements of XML and HTML.

import { WORD_OF_STATE } from './read-value.ts';
import {
  at,
  indexWithin,
  LONGEST_LINE,
  LONGEST_VALUE,
  lineEnd,
  lineStart,
  type Name,
  type OnValue,
} from './scan-text.ts';
import { take, takeQuoted } from './take-value.ts';
import { isPassphrase } from './value-looks.ts';

/** A column whose head names a secret: of Markdown, of a database's answer, of CSV, or of words in line. */
export function readColumn(text: string, name: Name, onValue: OnValue) {
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
  if (readMarkup(text, start, end, line, name, onValue)) return;
  if (/[|│┃]/.test(line)) return readPipes(text, start, end, line, name, onValue);
  const mark = line.includes('\t') ? '\t' : line.includes(';') && !line.includes(',') ? ';' : ',';
  const cells = line.split(mark);
  // `name,value`, and then a row for each name.
  if (
    cells.length === 2 &&
    name.start === start &&
    text[name.end] === mark &&
    name.kind === 'sure' &&
    /^["']?(?:name|key|variable|setting)["']?[,;\t]["']?(?:value|content)\b/im.test(
      text.slice(Math.max(0, start - LONGEST_LINE), start),
    )
  )
    return take(text, name.end + 1, end, name, onValue);
  if (cells.length >= 2 && above.split(mark).length !== cells.length && isHead(line, cells))
    return readRows(text, end, cells, mark, name.start - start, onValue, name);
  // Words in line over a rule, as in reStructuredText.
  const rule = text.slice(end + 1, Math.min(lineEnd(text, end + 1), end + 1 + LONGEST_LINE));
  if (name.kind === 'sure' && /^[=-]{2,}(?: +[=-]{2,})+\s*$/.test(rule) && rule.length >= name.start - start)
    return readRuled(text, end + 2 + rule.length, name.start - start, name, onValue);
  // Two columns under a rule, as `vault kv get` prints them.
  const pair = name.start === start ? /^[\w.-]{1,40} {2,}(\S.*)$/.exec(line.trimEnd()) : null;
  if (pair && name.kind === 'sure' && /^-{3,} +-{3,}\s*$/m.test(text.slice(Math.max(0, start - LONGEST_LINE), start))) {
    const from = start + line.indexOf(pair[1] as string, name.end - start);
    return take(text, from, from + (pair[1] as string).length, name, onValue);
  }
  if (/ {2,}/.test(line.trim())) return readAligned(text, start, end, line, name, onValue);
}

/** Tables and lists of LaTeX, AsciiDoc and reStructuredText, and the answer of psql with one column. */
function readMarkup(text: string, start: number, end: number, line: string, name: Name, onValue: OnValue): boolean {
  if (name.kind !== 'sure') return false;
  const taken = (from: number, length: number): true => {
    take(text, from, from + length, name, onValue);
    return true;
  };
  const column = name.start - start;
  const item = at(/\] +([^\n]{4,200})/y, text, name.end);
  if (item && line.slice(0, column).endsWith('\\item['))
    return taken(name.end + item[0].length - (item[1] ?? '').length, (item[1] ?? '').length);
  if (/\\\\\s*(?:\\hline)?\s*$/.test(line) && line.includes(' & ')) {
    const index = line.slice(0, column).split(' & ').length - 1;
    const cells = line.split(' & ').length;
    const isRow = index === 0 && cells === 2;
    let from = isRow ? start : end + 1;
    for (let row = 0; row < (isRow ? 1 : 100) && from < text.length; row++) {
      const stop = lineEnd(text, from);
      const each = text.slice(from, Math.min(stop, from + LONGEST_LINE)).split(' & ');
      if (each.length === cells) {
        const at0 = each.slice(0, isRow ? 1 : index).reduce((sum, cell) => sum + cell.length + 3, 0);
        const cell = /^\s*(?:\\\w+\{)?(.*?)\}?\s*(?:\\\\.*)?$/.exec(each[isRow ? 1 : index] ?? '')?.[1] ?? '';
        const place = text.indexOf(cell, from + at0);
        if (cell.length > 3) take(text, place, place + cell.length, name, onValue);
      } else if (!/^\s*\\\w+/.test(each[0] ?? '')) break;
      from = stop + 1;
    }
    return true;
  }
  // `! User !! Password` of MediaWiki, `COPY t (id, password) FROM stdin;` of PostgreSQL
  const isWiki = line.startsWith('! ') && line.includes('!!');
  if (isWiki || /^COPY \S+ \([^()]*\) FROM stdin;/i.test(line)) {
    const index = line.slice(isWiki ? 0 : line.indexOf('('), column).split(isWiki ? '!!' : ',').length - 1;
    for (let place = end + 1, row = 0; row < 200 && place < text.length; row++) {
      const stop = lineEnd(text, place);
      const each = text.slice(place, Math.min(stop, place + LONGEST_LINE));
      if (/^(?:\|\}|\\\.|$)/.test(each)) break;
      const mark = isWiki ? '||' : '\t';
      const cells = each.replace(/^\|(?=[^|])/, ' ').split(mark);
      const before = cells.slice(0, index).reduce((sum, cell) => sum + cell.length + mark.length, 0);
      if (cells.length > index) takeCell(text, place + before, cells[index] as string, name, onValue);
      place = stop + 1;
    }
    return true;
  }
  const below = at(/[ \t]{2,20}(- )(?=\S)/y, text, end + 1);
  if (
    below &&
    /^\s*\* - (?:[\p{L}-]+ ){0,3}$/u.test(line.slice(0, column)) &&
    text.slice(Math.max(0, start - LONGEST_LINE), start).includes('list-table::')
  )
    return taken(end + 1 + below[0].length, lineEnd(text, end + 1) - end - 1 - below[0].length);
  const described = /^(?:\p{L}[\p{L}-]* ){0,3}$/u.test(line.slice(0, column))
    ? at(/:: +(?=[^\s{])/y, text, name.end)
    : null;
  if (described && !/[;{]$/.test(line))
    return taken(name.end + described[0].length, end - name.end - described[0].length);
  if (
    line.startsWith(' ') &&
    line.trim() === name.text &&
    /^-{3,}\n[^|]{0,2000}\n\(\d+ rows?\)/.test(text.slice(end + 1, end + 2100))
  ) {
    for (let from = lineEnd(text, end + 1) + 1; text[from] === ' '; from = lineEnd(text, from) + 1)
      take(text, from, lineEnd(text, from), name, onValue);
    return true;
  }
  return false;
}

/** Whether these are heads of columns: words, from the beginning of a line on, and no code. */
function isHead(line: string, cells: readonly string[]): boolean {
  return (
    /^(?:\d{1,6}[\t→|] ?)?["'\w\u00c0-\uffff]/.test(line) &&
    cells.every((cell) => /^ ?(["']?)[\p{L}_][\p{L}\d_-]{0,30}(?: [\p{L}\d_()/-]{1,20}){0,2}\1 ?\r?$/u.test(cell))
  );
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
    if (
      cells.length !== head.length ||
      (row === 0 &&
        cells.some(
          (each, index) => index !== column && /[(){};=]/.test(text.slice(place + each.start, place + each.end)),
        ))
    )
      return;
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
  // `||User||Password||` of Jira
  if (line.startsWith('||')) {
    const index = line.slice(0, name.start - start).split('||').length - 1;
    for (let place = end + 1, row = 0; row < 200 && text[place] === '|'; row++) {
      const stop = lineEnd(text, place);
      const each = text.slice(place, Math.min(stop, place + LONGEST_LINE)).split('|');
      const before = each.slice(0, index).reduce((sum, cell) => sum + cell.length + 1, 0);
      takeCell(text, place + before, each[index] ?? '', name, onValue);
      place = stop + 1;
    }
    return;
  }
  const cells = line.split(/[|│┃]/);
  if (cells.length < 2) return;
  // `id|password`, as sqlite3 prints it.
  if (name.kind === 'sure' && /^[\w\u0080-\uffff]+(?:\|[\w\u0080-\uffff]+)+\r?$/.test(line))
    return readRows(text, end, cells, '|', name.start - start, onValue, name);
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
  // `|Password |…` of AsciiDoc
  if (
    next !== undefined &&
    column === 1 &&
    cells.length === 3 &&
    text.slice(Math.max(0, start - LONGEST_LINE), start).includes('|===')
  )
    return takeCell(text, start + from + (cells[column] as string).length + 1, next, name, onValue);
  const ruled = /^[\s|+:│┃├┼┤╞╪╡┡╇┩┣╋┫━─═=-]*[-=─═━]+[\s|+:│┃├┼┤╞╪╡┡╇┩┣╋┫━─═=-]*$/;
  let lineBelow = text.slice(end + 1, Math.min(lineEnd(text, end + 1), end + 1 + LONGEST_LINE));
  // duckdb names the types below the heads.
  if (
    /^│ +(?:u?\w*int\w*|varchar|text|double|float|decimal\S*|date|timestamp|boolean|uuid|json|blob) +│/i.test(lineBelow)
  ) {
    end += lineBelow.length + 1;
    lineBelow = text.slice(end + 1, Math.min(lineEnd(text, end + 1), end + 1 + LONGEST_LINE));
  }
  if (ruled.test(lineBelow)) {
    if (start > 0 && text.slice(lineStart(text, start - 1), start - 1).match(/[|│┃]/)) return;
    let place = lineEnd(text, end + 1) + 1;
    for (let row = 0; row < 500 && place < text.length; row++) {
      const rowEnd = lineEnd(text, place);
      const rowCells = text.slice(place, Math.min(rowEnd, place + LONGEST_LINE)).split(/[|│┃]/);
      if (rowCells.length !== cells.length) return;
      const before = rowCells.slice(0, column).reduce((sum, cell) => sum + cell.length + 1, 0);
      takeCell(text, place + before, rowCells[column] as string, name, onValue);
      place = rowEnd + 1;
    }
    return;
  }
  // `-[ RECORD 1 ]---` of psql: a row for each name.
  if (
    next !== undefined &&
    cells.length === 2 &&
    column === 0 &&
    /^-\[ RECORD \d/m.test(text.slice(Math.max(0, start - LONGEST_LINE), start))
  )
    return takeCell(text, start + (cells[0] as string).length + 1, next, name, onValue);
  if (next !== undefined && column > 0 && cells.length >= 4 && label.length < 40)
    takeCell(text, start + from + (cells[column] as string).length + 1, next, name, onValue, true);
}

function takeCell(text: string, from: number, cell: string, name: Name, onValue: OnValue, isRow = false): void {
  const bare = /^[\s*_`"']*(.*?)[\s*_`"']*$/s.exec(cell)?.[1] ?? '';
  if (bare.length < 4) return;
  // In a row that describes a setting, words are words.
  if (
    isRow &&
    !(name.kind === 'sure' && isPassphrase(bare)) &&
    !/\d|[^\w\s.,;:()'’/#-]/.test(bare) &&
    !(/^\S+$/.test(bare) && bare.length > (WORD_OF_STATE.test(bare) ? 9 : 8) && !/[A-Z(.]/.test(bare))
  )
    return;
  const words = bare.split(/\s+/).length;
  if (words > 5 || (isRow && words > 3 && !/\d/.test(bare) && !isPassphrase(bare))) return;
  const start = from + cell.indexOf(bare);
  take(text, start, start + bare.length, name.kind === 'maybe' ? name : { ...name, kind: 'sure' }, onValue);
}

/** Rows below a rule, up to the next one. */
function readRuled(text: string, from: number, column: number, name: Name, onValue: OnValue) {
  let place = from;
  for (let row = 0; row < 200 && place < text.length; row++) {
    const end = lineEnd(text, place);
    const cell = /^\S.*?(?= {2}|\s*$)/.exec(text.slice(place + column, Math.max(place + column, end)))?.[0];
    if (cell === undefined || /^[=-]{2,}$/.test(cell) || end - place < column) return;
    take(text, place + column, place + column + cell.length, name, onValue);
    place = end + 1;
  }
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

/** The cells below a head of a table in HTML. */
function readHtmlColumn(text: string, name: Name, onValue: OnValue) {
  if (!at(/\s{0,4}<\/th>/y, text, name.end)) return;
  const before = text.slice(Math.max(0, name.start - LONGEST_LINE), name.start);
  const column = before.slice(before.lastIndexOf('<tr')).split('<th').length - 2;
  const body = text.slice(name.end, name.end + LONGEST_VALUE);
  for (const row of body.matchAll(/<tr\b[^>]{0,80}>((?:(?!<\/?(?:tr|table)\b)[\s\S]){0,1000})/g)) {
    const cell = [...(row[1] ?? '').matchAll(/<td\b[^>]{0,80}>(?:<code>)?([^<]{0,400})</g)][column];
    const start = name.end + row.index + row[0].length - (row[1] ?? '').length + (cell?.index ?? 0);
    const value = cell?.[1];
    if (cell && value !== undefined && value.length > 3) {
      const from = start + cell[0].length - 1 - value.length;
      take(text, from, from + value.length, name, onValue);
    }
  }
}

/** `<password>…</password>`, also with attributes and CDATA. */
export function readElement(text: string, name: Name, onValue: OnValue): boolean {
  const open = at(/(?:[ \t][^<>\n]{0,200})?>\s{0,40}(<!\[CDATA\[)?/y, text, name.end);
  if (!open || open[0].startsWith('/')) return false;
  const from = name.end + open[0].length;
  const inner = at(/<(?:[\w-]{1,30}:)?(?:value|plaintext|text|string|data)>\s{0,40}/iy, text, from);
  if (inner && name.kind === 'sure') {
    const start = from + inner[0].length;
    const stop = indexWithin(text, '<', start);
    if (stop > 0) take(text, start, stop, name, onValue);
    return true;
  }
  const end = open[1] === undefined ? indexWithin(text, '<', from) : indexWithin(text, ']]>', from);
  if (end < 0 || end - from > LONGEST_VALUE || (open[1] === undefined && text[end + 1] !== '/')) return true;
  take(text, from, end, name, onValue);
  return true;
}

/** `<key>Password</key><string>…</string>` */
export function readPlist(text: string, name: Name, onValue: OnValue) {
  const gap = at(
    /<\/(?:[\w-]{1,20}-)?(?:key|name|Key|Name)>\s{0,60}(?:<(?:[\w-]{1,20}-)?(?:string|value|data|Value|String)>\s{0,20}){1,2}|<\/label>\s{0,20}<input\b[^<>]{0,80}\bvalue=/y,
    text,
    name.end,
  );
  if (gap?.[0].endsWith('value=')) return takeQuoted(text, name.end + gap[0].length, name, onValue);
  const cell =
    gap ??
    at(
      /(?:<\/(?:b|strong|td|th|dt|code|label|span|em|i)>\s{0,4}:?\s{0,60}){1,2}(?:<(?:td|dd|code|span|b|strong|em|kbd|p|div|pre|samp)\b[^<>\n]{0,80}>\s{0,20}){1,3}/y,
      text,
      name.end,
    );
  if (!cell) return readHtmlColumn(text, name, onValue);
  const from = name.end + cell[0].length;
  const end = indexWithin(text, '<', from);
  if (end > 0 && end - from < LONGEST_VALUE) take(text, from, end, name, onValue);
}
