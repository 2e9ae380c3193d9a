// A script of PowerShell → the same in the words of a POSIX shell, so that the shell reader can judge it. What goes beyond words, quotes and
// lists of commands is reported as unknown.

import { byName } from '../lib/group.ts';

interface ReadScript {
  readonly text: string;
  /** Null: it means nothing else than `text`. */
  readonly unknown: string | null;
}

const UNKNOWN = 'this PowerShell cannot be understood before it runs';
const MAX_DEPTH = 4;

/** Commands of PowerShell and their aliases, by the command of a POSIX shell that uses files in the same way. */
const COMMANDS = byName({
  'remove-item ri rm del erase rd rmdir remove-itemproperty': 'rm',
  'get-content gc type cat select-string sls import-csv ipcsv format-hex fhx get-filehash import-clixml': 'cat',
  'set-content sc add-content ac out-file new-item ni tee-object tee clear-content clc export-csv epcsv set-item si export-clixml set-itemproperty':
    'tee',
  'copy-item cpi cp copy xcopy robocopy': 'cp',
  'move-item mi mv move rename-item rni ren': 'mv',
  'compress-archive expand-archive': 'cp -r',
  'get-childitem gci ls dir get-item gi': 'ls',
  'invoke-webrequest iwr invoke-restmethod irm curl wget start-bitstransfer': 'curl',
  'test-netconnection tnc test-connection resolve-dnsname': 'nc host',
  'stop-process spps kill': 'kill',
  'invoke-expression iex': 'eval',
  'set-location sl cd chdir push-location pushd': 'cd',
  'set-acl icacls attrib takeown': 'chmod x',
  'write-host write-output write-error write-warning write-verbose echo select-object select sort-object sort measure-object measure format-table ft format-list fl convertto-json convertfrom-json out-string out-null test-path get-date get-process gps ps get-service get-command gcm get-help get-location gl pwd join-path split-path resolve-path get-member gm group-object start-sleep sleep get-host get-variable':
    'true',
});

type Token = { readonly kind: 'word' | 'separator' | 'redirect'; readonly text: string };

export function readPowerShell(script: string, depth = 0): ReadScript {
  const { tokens, isPlain } = readTokens(script);
  let isKnown = isPlain;
  let text = '';
  let command: string[] = [];
  const end = (separator: string): void => {
    const read = toShell(command, depth);
    isKnown &&= read.unknown === null;
    text += read.text + separator;
    command = [];
  };
  for (const token of tokens) {
    if (token.kind === 'word') command.push(quote(token.text));
    else if (token.kind === 'redirect') command.push(token.text);
    else end(token.text);
  }
  end('');
  return { text, unknown: isKnown ? null : UNKNOWN };
}

/** `words`: quoted for the shell. */
function toShell([first, ...rest]: readonly string[], depth: number): ReadScript {
  if (first === undefined) return { text: ':', unknown: null };
  const name = unquote(first)
    .toLowerCase()
    .replace(/\.exe$/, '');
  const plain = rest.map(unquote);
  if (/^(?:start-process|saps|start)$/.test(name)) {
    const words = plain.filter(
      (word) => !/^-(?:filepath|argumentlist|args|wait|nonewwindow|passthru|verb)$/i.test(word),
    );
    return { text: words.join(' '), unknown: null };
  }
  if (name === 'cmd') return { text: plain.filter((word) => !/^\/[a-z]$/i.test(word)).join(' '), unknown: null };
  if (/^(?:powershell|pwsh)$/.test(name)) return readInner(plain, depth);
  if (name === 'invoke-expression' || name === 'iex') return readPowerShell(plain.join(' '), depth + 1);
  const mapped = COMMANDS.get(name);
  return { text: [mapped ?? quote(unquote(first).replace(/\.exe$/i, '')), ...rest].join(' '), unknown: null };
}

function readInner(words: readonly string[], depth: number): ReadScript {
  if (depth >= MAX_DEPTH) return { text: ':', unknown: UNKNOWN };
  const encoded = words.findIndex((word) => /^-e(?:c|nc\w*)?$/i.test(word));
  if (encoded >= 0) {
    const script = decodeBase64(words[encoded + 1] ?? '');
    return script === null ? { text: ':', unknown: UNKNOWN } : readPowerShell(script, depth + 1);
  }
  const at = words.findIndex((word) => /^-c(?:ommand)?$/i.test(word));
  if (words.some((word) => /^-f(?:ile)?$/i.test(word)))
    return { text: `sh ${words.slice(-1).map(quote)}`, unknown: null };
  return readPowerShell(words.slice(at + 1).join(' '), depth + 1);
}

function decodeBase64(text: string): string | null {
  try {
    return new TextDecoder('utf-16le').decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
  } catch {
    return null;
  }
}

function readTokens(script: string): { readonly tokens: readonly Token[]; readonly isPlain: boolean } {
  const tokens: Token[] = [];
  let isPlain = true;
  let word: string | null = null;
  const flush = (): void => {
    if (word !== null) tokens.push({ kind: 'word', text: word });
    word = null;
  };
  const separate = (text: string): void => {
    flush();
    tokens.push({ kind: 'separator', text });
  };
  for (let at = 0; at < script.length; at++) {
    const char = script[at] as string;
    const two = script.slice(at, at + 2);
    if (char === "'" || char === '"') {
      const [whole = '', inner = ''] = (char === "'" ? SINGLE : DOUBLE).exec(script.slice(at)) ?? [];
      if (whole === '') return { tokens, isPlain: false };
      if (char === '"' && /[$`]/.test(inner)) isPlain = false;
      word = (word ?? '') + inner.replaceAll(char + char, char).replaceAll('\\', '/');
      at += whole.length - 1;
    } else if (char === '`') {
      const next = script[++at] ?? '';
      if (next !== '\n') word = (word ?? '') + next;
    } else if (two === '&&' || two === '||') {
      separate(` ${two} `);
      at++;
    } else if (char === ';' || char === '\n' || char === '|') separate(char === '|' ? ' | ' : '\n');
    else if (char === '&' && word === null) flush();
    else if (/[{}()]/.test(char)) {
      // What is inside is looked at, and what the outside makes of it is not known.
      isPlain &&= char === '{' || char === '}';
      separate('\n');
    } else if (char === '>') {
      const isSelf = /^>>?&\d/.exec(script.slice(at));
      if (word !== null && !/^(?:\d|\*)$/.test(word)) flush();
      word = null;
      if (isSelf) at += isSelf[0].length - 1;
      else tokens.push({ kind: 'redirect', text: '>' });
      if (script[at + 1] === '>') at++;
    } else if (char === '#' && word === null) at = (script.indexOf('\n', at) + 1 || script.length + 1) - 2;
    else if (/[\s,]/.test(char)) flush();
    else if (char === '$') {
      const [name = ''] = /^\$(?:env:)?(?:HOME|USERPROFILE|PWD)\b/i.exec(script.slice(at)) ?? [];
      if (name === '') isPlain = false;
      word = (word ?? '') + (name === '' ? '$' : /pwd/i.test(name) ? '.' : '~');
      at += Math.max(name.length - 1, 0);
    } else {
      if (/[@[\]]/.test(char)) isPlain = false;
      word = (word ?? '') + (char === '\\' ? '/' : char);
    }
  }
  flush();
  return { tokens, isPlain };
}

const SINGLE = /^'((?:[^']|'')*)'/;
const DOUBLE = /^"((?:[^"`]|`[\s\S]|"")*)"/;

function quote(word: string): string {
  const plain = word.replace(/^[A-Za-z]:(?=\/)/, '');
  // Its commands expand these by themselves.
  return /^[\w@%+=:,./~*?-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'\\''`)}'`;
}

function unquote(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word;
}
