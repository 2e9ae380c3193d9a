// Secrets beside words about secrets: in a sentence, in a command that stores one or logs in, in a call that connects.
// Their own look has to tell them from the other words of the line.

import { isMadeOfWords } from './rule.ts';
import { LONGEST_LINE, lineEnd, lineStart, type OnValue } from './scan-text.ts';
import { entropyOf, isCode, isOrdinary, isReference, isStandIn, looksRandom, NUMBERED_WORDS } from './value-looks.ts';

/** Marks of code, data, markup and logs: what has names there is read by its names. */
const NO_PROSE =
  /[{};]\s*$|=>|\(\)|\w\(["'\w]|<\/|::|&&|\|\||[!=]=|\s[:+]?=\s|["']:\s|\w=["'\w]|^\s*(?:import|from|const|let|var|return|if|for|def|func|function|class|pub|use|#include|#define|@\w+)\b.*[({=]|\b(?:INFO|DEBUG|WARN|ERROR|TRACE)\b|\d\d:\d\d:\d\d|^\s*(?:[|+]|(?:import|package|public|private|protected|static|final)\s)|\{@\w|["'][,:]["'{[\d]|\bsha\d|\.\w+\(/;
const WORD = /\p{L}{2,}/gu;
const CJK = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;
/** What holds a candidate: no spaces, quotes, or brackets around it. */
const CANDIDATE = /[^\s"'`“”„«»「」『』<>()[\]{}，。；、：,;|\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{7,200}/g;
const FARTHEST = 90;
/** What is said about values in general. */
const ABOUT_VALUES =
  /\b(?:format|regex|pattern|prefix|e\.g\.|commit|hash(?:ed|es)?|checksum|version|example|placeholder|max_tokens|tokens? (?:used|per|count|limit))\b/i;

/** `hit`: a word that names secrets. Reads the line around it, once; and the next two, if the line only announces one. */
export function readSentence(text: string, hit: number, onValue: OnValue): number {
  if (isWithinPlaceholder(text, hit)) return hit + 1;
  const start = lineStart(text, hit);
  const end = Math.min(lineEnd(text, hit), hit + LONGEST_LINE);
  const line = text.slice(start, end);
  if (isAnnouncing(line)) readAnnounced(text, end, onValue);
  if (!/\d/.test(line)) return end;
  // As it was before something in it was redacted.
  if (NO_PROSE.test(line.includes('[redacted:') ? line.replace(/\[redacted:[\w-]+#\d+\]/g, 'x1') : line)) {
    readLiterals(text, hit, start, end, onValue);
    return hit + 1;
  }
  if (!isWithinName(text, hit)) readLinked(line, start, onValue);
  if (ABOUT_VALUES.test(line)) return end;
  if (isWithinName(text, hit)) return hit + 1;
  if ((line.match(WORD)?.length ?? 0) < 3 && !CJK.test(line)) return end;
  // `key` alone names other things as well.
  const least = /^ ?(?:key|login)/i.test(text.slice(hit, hit + 6)) ? 2 : 1;
  for (const match of line.matchAll(CANDIDATE)) {
    const from = start + match.index;
    if (Math.abs(from - hit) > FARTHEST) continue;
    // `login with bob:…`
    const pair = /^[*_]+|^[\w.@-]{2,30}[:/](?=.{7})(?!\/)/.exec(match[0])?.[0].length ?? 0;
    const value = match[0].slice(pair).replace(/[.,:_*]+$/, '');
    if (
      isApart(text, hit, from) &&
      strengthOf(value) >= least &&
      !(/[-/].*[a-z]/.test(value) && !PHRASE.test(value) && isMadeOfWords(value))
    )
      onValue(from + pair, from + pair + value.length);
  }
  return end;
}

/** `Password`, `> what is the wifi password?`, `### Credentials`, `the root password is:`. */
const isAnnouncing = (line: string): boolean =>
  line.length < 60 &&
  /^[^"=;{}]*(?<![\w-])(?:pass(?:word|wd|phrase|code|wort)?|pw|pin|credentials|secret key|api key|token|kennwort|\p{L}*passwort|senha|contraseña|mot de passe|密码|パスワード)(?: (?:is|ist|es|est|é)(?: now)?|は|是)?[?:：]{0,2}[*_]{0,2}\s*$/iu.test(
    line,
  );

/** One of the next two lines, if it is a word alone, or behind `A:`. */
function readAnnounced(text: string, lineBreak: number, onValue: OnValue): void {
  let from = lineBreak + 1;
  for (let count = 0; count < 3 && from < text.length; count++) {
    const end = lineEnd(text, from);
    const word = ANSWER.exec(text.slice(from, Math.min(end, from + 240)));
    const value = word?.[1];
    if (value !== undefined && looksMadeUp(value)) {
      const start = from + (word?.[0].indexOf(value) ?? 0);
      onValue(start, start + value.length);
      return;
    }
    if (end - from > 30) return;
    from = end + 1;
  }
}

/** A word alone on its line, also as somebody's answer: `A: …`, `> …`, `[09:42] ann: …`. */
const ANSWER =
  /^[>\s]{0,8}(?:\[?\d\d?:\d\d(?::\d\d)?\]? )?(?:<?[\w.@-]{1,24}>?: |[-*>] )?["'`]?([^\s"'`]{6,100})["'`]?[.!]?\s*$/;

const NOUN =
  '(?:\\p{L}{0,24}-?(?:pass(?:word|phrase|code|wd|wort|wörter)s?|kennwort|schlüssel|zugangscode)|pass|pwd?|psk|pin|secret|token|(?:api|access|secret|signing|licen[sc]e|setup|private|encryption)[ -]?key|(?:signing|client) secret|credentials?|creds|login|zugangsdaten|mot de passe|mdp|identifiants?|contraseña|clave(?: \\p{L}+)?|credenciales|senha|palavra-passe|chave(?: \\p{L}+)?|jeton|密码|密碼|口令|密钥|密鑰|令牌|凭证|パスワード|トークン|合言葉|暗証番号|シークレット|비밀번호)';
/** Up to three words, a verb or a mark, and what surrounds the value. */
const BEHIND_NOUN = new RegExp(
  `(?<![\\w.-]|\\p{Ll})${NOUN}[*_\`]{0,3}(?: \\([^()]{1,40}\\))?(?:(?:[ ]?['’]?[\\p{L}\\d@.-]{1,24}){0,3}?\\s{0,3}(?:[:：=→]|->|=>)[*_]{0,3}|(?: [\\p{L}\\d@.-]{1,24}){0,3}? (?:is|was|to|ist|lautet|auf|jetzt|nun|est|es|é|para|por|a|à|en|be|now|are|are now|remains|stays|heißt)|(?:已?经?|现在)?(?:修改|改|设置|设|更新|重置|变更)?(?:是|为|成了?|成)|には|は|を|が|은|는|를)\\s{0,3}(?:["'“„«「『\`*(]{0,3})(?:[\\w.@-]{2,30} ?/ ?[\`*"']{0,2})?$`,
  'iu',
);
const QUOTED_BEHIND_NOUN = new RegExp(`(?<![\\w.-])${NOUN} {1,2}[\`“„«「『(][\`"']?$`, 'iu');
const BEFORE_NOUN = new RegExp(
  `^["'”“»」』\`*)]{0,4}(?: (?:as|als|como|comme|for|is|was|ist|est|es|é)(?: [\\p{L}-]{1,20}){0,3}? \\*{0,2}|\\s{0,2}(?:作为|作為|当作|做|设为|を)\\s{0,2}(?:[\\p{L}\\w]{1,12}?\\s?の?\\s?)?)(?:\\p{L}{2,20}-)?(?:[\\p{L}]{2,20} )?${NOUN}`,
  'iu',
);

/** Names nothing but what opens something: a made-up word in the same sentence is it. */
const PASSWORD_NOUN =
  /(?<![\w.-])(?:\p{L}{0,24}-?(?:passw(?:or[dt]|d)|passphrase|passcode|kennwort)s?|pw|pwd|log in|logged in|mot de passe|mdp|contraseña|senha|palavra-passe|heslo|hasło|wachtwoord|lösenord)(?![\w.-])|密码|密碼|口令|パスワード|비밀번호|(?:ssid|wi-?fi|wlan)\b.{0,30} key\b/giu;

/** Where the nouns of the line stand: looked for once. */
const nounsOf = (line: string): readonly (readonly [number, number])[] =>
  ABOUT_VALUES.test(line)
    ? []
    : [...line.matchAll(PASSWORD_NOUN)].map((noun) => [noun.index, noun.index + noun[0].length] as const);

function isBeside(line: string, from: number, end: number, nouns: readonly (readonly [number, number])[]): boolean {
  return nouns.some(([start, stop]) => {
    const gap = stop <= from ? from - stop : start - end;
    if (gap <= 0 || gap > 60) return false;
    return !/[.!?] |[。！？()]/.test(stop <= from ? line.slice(stop, from) : line.slice(end, start));
  });
}

/** What a sentence links with a word for secrets: “the vpn pw is …”, “… als Admin-Passwort”, “用 … 作为密码”. */
function readLinked(line: string, start: number, onValue: OnValue): void {
  let nouns: ReturnType<typeof nounsOf> | undefined;
  for (const match of line.matchAll(CANDIDATE)) {
    const pair = /^[*_]+/.exec(match[0])?.[0].length ?? 0;
    const value = match[0].slice(pair).replace(/[.,:_*!?]+$/, '');
    if (NUMBERED_WORDS.test(value) || !looksMadeUp(value)) continue;
    const from = match.index + pair;
    nouns ??= nounsOf(line);
    const before = line.slice(Math.max(0, from - 110), from);
    const after = line.slice(from + value.length, from + value.length + 80);
    if (
      !BEHIND_NOUN.test(before) &&
      !isBeside(line, from, from + value.length, nouns) &&
      !QUOTED_BEHIND_NOUN.test(before) &&
      !BEFORE_NOUN.test(after)
    )
      continue;
    onValue(start + from, start + from + value.length);
  }
}

/** In code and logs only what stands alone between quotes, or right behind the word, looking like nothing else. */
function readLiterals(text: string, hit: number, start: number, end: number, onValue: OnValue): void {
  const line = text.slice(hit, Math.min(end, hit + FARTHEST));
  const beside = /^[\w -]{3,24}[ :=[(]{1,3}([^\s"'`,;()[\]{}]{16,200})(?=[\s,;)\]]|$)/.exec(line);
  const token = beside?.[1];
  if (token !== undefined && strengthOf(token) === 2 && !/[-/.:]/.test(token)) {
    const start = hit + (beside?.[0].length ?? 0) - token.length;
    onValue(start, start + token.length);
  }
  const whole = text.slice(start, end);
  for (const match of whole.matchAll(/(["'`])([^\n"'`]{0,100})\1/g)) {
    const value = match[2] as string;
    const from = start + match.index + 1;
    if (Math.abs(from - hit) > FARTHEST || /[\s/:]|^\$2[aby]\$/.test(value)) continue;
    if (NUMBERED_WORDS.test(value) || strengthOf(value) === 0) continue;
    // `client_id: "…", type: "token"`: that of another name.
    if (from < hit && /[:=]\s*["'`]$/.test(text.slice(Math.max(0, from - 8), from))) continue;
    // `password: "…", encoder: "modern2026"`: that of another name.
    if (from > hit && /,\s*["']?(?!with|value|text|to\b)\w+["']?\s*[:=]/.test(text.slice(hit, from - 1))) continue;
    onValue(from, from + value.length);
  }
}

const isWithinPlaceholder = (text: string, hit: number): boolean =>
  /\[(?:masked|redacted)[ :][\w-]*$/.test(text.slice(Math.max(0, hit - 60), hit));

/** Of code, of a branch, in base64, or in what stands for something that was redacted before. */
function isWithinName(text: string, hit: number): boolean {
  if (CJK.test(text[hit] ?? '')) return false;
  const before = /[^\s"'`*(>“«„]*$/.exec(text.slice(Math.max(0, hit - 40), hit))?.[0] ?? '';
  return (
    !/^(?:\p{Ll}{2,16}[-_]){0,3}\p{L}{0,24}-?$/u.test(before) ||
    (/\p{Ll}$/u.test(before) && /\p{Lu}/u.test(text[hit] ?? ''))
  );
}

/** Not across the end of a sentence. */
function isApart(text: string, one: number, other: number): boolean {
  return !/[.!?] [A-Z]|[。！？]/.test(text.slice(Math.min(one, other), Math.max(one, other)));
}

const STORES =
  /\b(?:secrets?|keyvault|vault|kv|ssm|secretsmanager|credentials?|passwords?|passwd|add-authtoken|authtoken|alias)\b[^\n]{0,80}\b(?:set|put|create|add|write|update|import|store|new|config|change|reset)\b|\b(?:set|put|create|add|write|update|import|store|new|config(?::set)?|secretsmanager|ssm)\b[^\n]{0,60}(?:\bsecrets?\b|-secret|SecureString|secret-value|authtoken|credentials?\b|--secret|put-parameter)|-AsPlainText|\bluks(?:Format|Open|AddKey)\b|\bnet use\b|\blftp -u\b|add-(?:generic|internet)-password|\bopenssl passwd\b|--password-command|\bchpasswd\b|mc alias set|kv put|\b(?:add_user|change_password|setapikey|upwd|encrypt_string|unlock|env:set)\b/i;
const LOGS_IN =
  /(?:^|[;|&(]|\$ )\s*(?:sudo )?[a-z][\w.-]{1,20}(?: [a-z-]{2,20})? (?:login|auth|signin|logon|unlock|authenticate|init)\b/i;

/** `hit`: a word of commands that store secrets. Reads the line, and the one after it if that is its input. */
export function readStoring(text: string, hit: number, onValue: OnValue): number {
  const start = lineStart(text, hit);
  let end = Math.min(lineEnd(text, hit), hit + LONGEST_LINE);
  const line = text.slice(start, end);
  if (/<<-?\s*["']?\w+["']?\s*$/.test(line)) end = Math.min(lineEnd(text, end + 1), end + 300);
  const command = text.slice(start, end);
  if (!/\d/.test(command) || !/(?:^|[\s/"'`$>(&|;])[a-z][\w.-]* /i.test(command)) return end;
  readOptions(command, start, onValue);
  const isStoring = STORES.test(command) || LOGS_IN.test(command);
  if (!isStoring && !/ config\b/.test(command)) return end;
  // Programs name their own things.
  if (/[{}]|=>|\(\)|;\s*$|\b(?:get|list|describe|delete|rm|show|rotate)\b/.test(line.replace(/\$\{?\w+\}?/g, '')))
    return end;
  for (const match of command.matchAll(/(?:^|(?<=[\s"'=,:]))[^\s"'`=|;()<>,]{7,200}(?=$|["'\s|;),])/g)) {
    const value = match[0].replace(/[.,]$/, '');
    // Options, times, names of images and resources.
    if (
      /^-|:\d+$|^[a-z][a-z0-9]*(?:[-._/][a-z0-9]+)+(?::[\w.-]+)?$/.test(value) &&
      !/^[a-z]+(?:\.[a-z]+)+\.\d+$/.test(value)
    )
      continue;
    if (strengthOf(value) > (isStoring ? 0 : 1)) onValue(start + match.index, start + match.index + value.length);
  }
  return end;
}

/** `-p X`, `--auth X`, `<<< X`, `$(echo X)`: what is given to a command where passwords are given. */
const OPTION =
  /(?:\s(?:-D[\w.]{0,40}(?:login|token|password|key|secret)=|--?(?:[a-z]+[-_]?){0,3}(?:auth\w{0,12}|pass\w{0,10}|pwd|pw|pin|key|secret|token|encrypt|credentials?)[ =:]|-[pkwash][ =:]|-h?p(?=[^\s]{0,40}\d)|\w{0,20}_pw )|<<< ?|\s-u (?=[^\s:]{16,200}:["'\s])|\$\(echo |-password-command[ =]["']?(?:echo|printf) |<\((?:echo|printf) )["']?([^\s"'`|;&()<>]{7,200})/gi;

function readOptions(command: string, start: number, onValue: OnValue): void {
  for (const match of command.matchAll(OPTION)) {
    const value = (match[1] as string).replace(/:$/, '');
    if (!looksMadeUp(value) || /^[\w.-]+:[\w./-]+$|^[a-z]\w*[-_]\w+[-_]\w*[a-z]\w*$/.test(value)) continue;
    const from = start + match.index + match[0].length - (match[1] as string).length;
    onValue(from, from + value.length);
  }
}

const LITERAL = /[bfr]?(["'])([^"'\n]{7,100})\1/g;

/** `hit`: the name of a call that connects or logs in. Reads the strings it is given. */
export function readCall(text: string, hit: number, onValue: OnValue): number {
  const open = text.slice(hit, hit + 40).indexOf('(');
  if (open < 0) return hit + 1;
  const from = hit + open;
  const inside = /^\((?:[^()\n]|\([^()\n]{0,60}\)){0,240}/.exec(text.slice(from, from + 260))?.[0] ?? '';
  for (const match of inside.matchAll(LITERAL)) {
    const value = match[2] as string;
    // `connect("host", port)`: an address before others is none.
    const isFirst = /^\($/.test(inside.slice(0, match.index).trim());
    if (
      strengthOf(value) === 0 ||
      (isFirst &&
        /^\s*,/.test(inside.slice(match.index + match[0].length)) &&
        !/^(?:aes|twilio)/i.test(text.slice(hit, hit + 8)))
    )
      continue;
    const start = from + match.index + match[0].length - 1 - value.length;
    onValue(start, start + value.length);
  }
  return from + 1;
}

/**
 * Less than `strengthOf` asks, for what is already said to be secret: words with digits, and capitals or marks, that name
 * nothing else: `Kranich!Tor9`, `zebra-Ink-2231`.
 */
export function looksMadeUp(accented: string): boolean {
  const value = /[\u00c0-\u024f]/.test(accented) ? accented.normalize('NFD').replace(/\p{M}/gu, '') : accented;
  if (strengthOf(value) > 0) return true;
  if (value.length < 7 || value.length > 100 || !/\d/.test(value) || !/[A-Za-z]{2}/.test(value)) return false;
  if (isStandIn(value) || isOrdinary(value) || isCode(value) || isReference(value) || NUMBERED_THING.test(value))
    return false;
  if (
    !/^[\w.!?#$%&*+@~^:/;=-]+$/.test(value) ||
    /^-|^0x|^\$|:\/\/|^[\w.-]+@[\w-]+(?:\.[\w-]+)+$|^\/|\.(?:[a-z]{2,4})(?:[:/#?].*)?$|(?:^|[-_.])v?\d+\.\d+|\d{4}-\d\d|^\w+[=:]|^[A-Z]+(?:_[A-Z0-9]+)+$/.test(
      value,
    )
  )
    return false;
  if (
    /pass(?:word|wd|phrase)?|token|secret|credential|(?:^|[-_.a-z])key|auth|hash|sha\d|version|claude|gpt|llama|gemini|qwen|sonnet|opus|haiku/i.test(
      value,
    )
  )
    return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  if (/[!#$%&*+@~^?]/.test(value.slice(1)) && !/^\w+[+*@/]\d+$/.test(value)) return /[A-Z]/.test(value) || digits >= 2;
  if (value.includes('/') || /[:;=]/.test(value)) return false;
  const parts = value.split(/[-_.]/);
  if (parts.length > 1)
    return (
      /[A-Z]/.test(value) &&
      /[a-z]{3}/.test(value) &&
      parts.length <= 5 &&
      parts.some((part) => /^\d+$|^[A-Za-z]+\d+$|^[A-Z][a-z]*\d[a-z]{3,}$/.test(part))
    );
  // `raspberrY77`
  return /[a-z][A-Z]/.test(value) && digits >= 2 && /\d$/.test(value);
}

/** Names of standards, programs and numbered things: `RFC7519`, `ubuntu-22.04`, `gpt-4o`, `CVE-2024-1234`, `user123`. */
const NUMBERED_THING =
  /^(?:(?:rfc|iso|cve|ghsa|utf|sha|md|aes|rsa|ecdsa|dsa|ed|hs|rs|es|ps|hmac|pbkdf|base|oauth|http|https|tls|ssl|secp|curve|argon|pkcs|fips|windows|ubuntu|debian|node|python|php|java|gpt|claude|llama|gemini|qwen|issue|bug|ticket|step|test|user|admin|client|server|file|line|page|chapter|section|part|version|room|item|phase|sprint|release|day|week|year|port|host|key|token|password|secret|account|agent|task|model|build)s?[-_.#]?v?\d[\w.-]*|[a-z]{1,8}[-_.]?v?\d{1,3}(?:\.\d+)*|[a-z]+[-_.]v?\d{1,3}(?:\.\d+)*|\d+[a-z]{1,3}|\d+(?:st|nd|rd|th)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-_.]?\d{2,4}|[A-Za-z0-9]{1,6}-[A-Za-z0-9]{1,6})$/i;
const NUMBERED_NAME_PART = /^[A-Z]{1,10}[-_]?\d{1,6}$|^[A-Z]?[a-z]+\d{1,2}$/;

/** `Walrus-88-Fig` */
const PHRASE = /^[A-Z][a-z]{2,12}-\d{2,4}-[A-Z][a-z]{2,12}$/;

/**
 * How much a word of a sentence or a command looks as if a person or a program had made it up to be secret: 2 as hardly any
 * other word does, 1 as some names do, too, 0 as words, names, paths, versions and code do.
 */
function strengthOf(value: string): 0 | 1 | 2 {
  if (value.length < 7 || value.length > 200 || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return 0;
  if (
    !/^[\w.!?#$%&*+@~^/=-]+$/.test(value) ||
    NUMBERED_THING.test(value) ||
    NUMBERED_NAME_PART.test(value) ||
    value.startsWith('-')
  )
    return 0;
  if (/^[0-9a-f-]{7,}$/i.test(value) || /^0x/.test(value)) return 0;
  if (isStandIn(value) || isOrdinary(value) || isCode(value) || isReference(value)) return 0;
  // Names of files and hosts, packages with a version, identifiers.
  if (
    /\.(?:[a-z]{2,4})(?:[:/#?].*)?$|^@?[\w.-]+@v?\d+\.\d|^#\d|=.|&\w+[=&]|^[a-z]\w*_\w*_(?!\d{2,4}$)|^[A-Z]+(?:_[A-Z0-9]+)+$|%[0-9A-F]{2}/.test(
      value,
    )
  )
    return 0;
  if (/\//.test(value) && !looksRandom(value)) return 0;
  // What hosts and programs call their own things.
  if (
    /^(?:toolu|call|msg|prt|ses|req|resp|run|task|evt|usr|org|proj|chatcmpl|session|agent)[_-]|^v?\d+\.\d+\.|#[A-Za-z]/.test(
      value,
    )
  )
    return 0;
  if (
    /(?:^|[._-])(?:password|credential|token|secret|key|hash|test|type|class|error|config|handler|service|sha\d|hmac)s?(?:[A-Z\d._]|$)|Password|Credential|Token|Secret|Key(?:[A-Z]|$)|Hash|PBKDF|^[a-z]+\.[A-Z]\d+$/.test(
      value,
    )
  )
    return 0;
  if (/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value)) return 0;
  if (looksRandom(value) && value.length >= 12) return 2;
  if (value.length >= 8 && /[!?#$%&*+@~^]/.test(value.slice(1)) && (value.match(/\d/g)?.length ?? 0) >= 2) return 2;
  if (PHRASE.test(value)) return 1;
  if (/^[A-Za-z]+(?:-[A-Za-z]+)*-?\d*$/.test(value))
    return /^[A-Za-z]{5,30}\d{2,4}$/.test(value) && value.length >= 9 ? 1 : 0;
  const digits = value.match(/\d/g)?.length ?? 0;
  const isWordly = /^[a-z]{4,}\d{2,4}[a-z]{4,}$|^[A-Za-z]+(?:[._][A-Za-z]+)+[._]\d{2,4}$/.test(value);
  const isLeet = digits >= 2 && /[A-Za-z]\d[A-Za-z]/.test(value) && /\d{2}|[A-Za-z]\d[A-Za-z]+\d/.test(value);
  const isLongToken = digits >= 4 && value.length >= 20 && !/[-_.]/.test(value) && entropyOf(value) > 3.3;
  const isMixed =
    digits >= 3 &&
    /[a-z]/.test(value) &&
    /[A-Z]/.test(value) &&
    !/[-_.]/.test(value) &&
    !/^[A-Z]?[a-z]+\d+$/.test(value);
  const isSerial = digits >= 3 && /^[A-Z\d]{4,8}(?:-[A-Z\d]{4,8}){2,5}$/.test(value);
  const isSnake =
    /^[a-z]{4,}(?:_[a-z]{4,}){1,3}_\d{2,4}$/.test(value) && !/user|test|item|page|file|case|step|version/.test(value);
  return isWordly || isLeet || isLongToken || isMixed || isSerial || isSnake ? 1 : 0;
}
