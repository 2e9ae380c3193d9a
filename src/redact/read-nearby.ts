// Secrets beside words about secrets: in a sentence, in a command that stores one or logs in, in a call that connects.
// Their own look has to tell them from the other words of the line.

import { LONGEST_LINE, lineEnd, type OnValue } from './scan-text.ts';
import { entropyOf, isCode, isOrdinary, isPassphrase, isReference, isStandIn, looksRandom } from './value-looks.ts';

/** Marks of code, data, markup and logs: what has names there is read by its names. */
const NO_PROSE =
  /[{};]\s*$|=>|\(\)|\w\(["'\w]|<\/|::|&&|\|\||[!=]=|\s[:+]?=\s|["']:\s|\w=["'\w]|^\s*(?:import|from|const|let|var|return|if|for|def|func|function|class|pub|use|#include|#define|@\w+)\b.*[({=]|^\s*(?:[|+]|(?:import|package|public|private|protected|static|final)\s)|\{@\w|["'][,:]["'{[\d]|\bsha\d|\.\w+\(/;
const CJK = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;
const FARTHEST = 70;
/** What is said about values in general. */
const ABOUT_VALUES =
  /\b(?:format|regex|pattern|prefix|e\.g\.|commit|hash(?:ed|es)?|checksum|version|example|placeholder|max_tokens|tokens? (?:used|per|count|limit))\b/i;

/** Words that name secrets, in any name or word that ends with them. */
const NOUNS =
  'pass(?:w(?:or[dt]|ört(?:er)?|d)|phrase|code)?s?|pwd?|psk|secrets?|tokens?|cred(?:ential)?s?|(?:log|sign)(?:ged|ed)? ?in|auth(?:enticat\\w*)?|kennw[oö]rt(?:er)?|geheimnis|schlüssel|zugangsdaten|zugangscode|mot de passe|mdp|identifiants?|contraseña|clave|credenciales|senha|palavra-passe|jeton|(?:api|access|secret|signing|licen[sc]e|setup|private|encryption)[ _-]?key|heslo|hasło|wachtwoord|lösenord|community';
/** Words that stand near secrets, and near much else. */
const COMPANIONS =
  'keys?|admin(?:istrator)?|root|users?|username|account|unlock(?:s|ed)?|identif(?:y|ied)|vault|encrypt(?:ed)?|decrypt(?:ed)?|wi-?fi|wlan|ssid|chave|cl[ée]|nick(?:serv)?|tresor|sudo|pin';
const CUE = new RegExp(
  `(?:(${NOUNS})|${COMPANIONS})(?![\\p{Ll}])|密码|密碼|口令|密钥|密鑰|令牌|凭证|パスワード|トークン|合言葉|暗証番号|シークレット|キー|비밀번호`,
  'giu',
);

interface Cue {
  readonly start: number;
  readonly end: number;
  readonly isNoun: boolean;
  /** Whose secret it may be. */
  readonly isPerson: boolean;
}

const cuesOf = (line: string): readonly Cue[] =>
  [...line.matchAll(CUE)].map((cue) => ({
    start: cue.index,
    end: cue.index + cue[0].length,
    isNoun: cue[1] !== undefined || CJK.test(cue[0]),
    isPerson: /^(?:admin|root|user|account|login|identifiant)/i.test(cue[0]),
  }));

/**
 * `hit`: a word that is often near secrets. Reads the line around it, once: what looks made up there is one. The look of a value,
 * the word and the distance count together; in code, only what is alone between quotes. And the next lines, if the line only announces one.
 */
export function readSentence(text: string, hit: number, onValue: OnValue): number {
  const { start, end, spans, hasDigit, marks } = candidatesAround(text, hit);
  if (end - start < LONGEST_ANNOUNCEMENT && (marks & OF_CODE) === 0 && ENDS_LABEL.test(text[end - 1] ?? '')) {
    if (ANNOUNCING.test(text.slice(start, end)) && !isWithinPlaceholder(text, hit)) readAnnounced(text, end, onValue);
  }
  if (
    end - start < LONGEST_QUESTION &&
    (marks & OF_CODE) === 0 &&
    mayAsk(text, end) &&
    asksForSecret(text.slice(start, end))
  )
    readAnnounced(text, end, onValue, isAnswered);
  readAlone(text, end, onValue);
  if (hasDigit && (marks & QUOTES) !== 0) readPhrase(text.slice(start, end), start, onValue);
  if (spans.length === 0) return end;
  if (isWithinPlaceholder(text, hit)) return hit + 1;
  const line = text.slice(start, end);
  let cues: readonly Cue[] | undefined;
  let isOfCode: boolean | undefined;
  for (let index = 0; index < spans.length; index += 2) {
    const begin = spans[index] as number;
    const word = line.slice(begin, spans[index + 1]);
    // `bob:…`, `ann,…`, `/p:…`
    const lead = /^[*_]+|^\/?[\w.@-]{1,30}[:/,](?=.{6})(?!\/)/.exec(word)?.[0] ?? '';
    // The slash of base64 divides nothing.
    const pair = lead.length > 12 && lead.endsWith('/') && looksRandom(lead) ? 0 : lead.length;
    // `SHA256:…`
    if (/^(?:SHA|MD)\d{1,3}:$/i.test(lead)) continue;
    const value = withoutEnd(word.slice(pair), line.slice(spans[index + 1], (spans[index + 1] as number) + 2));
    const shape = shapeOf(value);
    if (shape === 0) continue;
    const from = begin + pair;
    cues ??= cuesOf(line);
    // As it was before something in it was redacted.
    isOfCode ??= NO_PROSE.test(line.includes('[redacted:') ? line.replace(/\[redacted:[\w-]+#\d+\]/g, 'x1') : line);
    if (isNamedBy(line, from, from + value.length, cues, shape, isOfCode))
      onValue(start + from, start + from + value.length);
  }
  return end;
}

/** Marks at the end of a word are those of the sentence, except before others or if the sentence continues: `Tundra77!.` */
function withoutEnd(word: string, behind: string): string {
  const bare = word.replace(/[.,:_*!?]+$/, '');
  const mark = /^[!?]/.exec(word.slice(bare.length))?.[0];
  return mark !== undefined &&
    /\d$/.test(bare) &&
    (/^[!?][.,:]/.test(word.slice(bare.length)) || /^(?:,| \p{Ll})/u.test(behind))
    ? bare + mark
    : bare;
}

/** Two to five words with a digit, in quotes, that a sentence says a password is. */
const PHRASE_BEHIND = new RegExp(
  `(?:${NOUNS})(?: [\\p{L}'’]{1,12}){1,5}:? ["“„«\`]([^"”“»\`\\n]{6,60})["”“»\`]`,
  'giu',
);

function readPhrase(line: string, start: number, onValue: OnValue): void {
  for (const match of line.matchAll(PHRASE_BEHIND)) {
    const value = match[1] as string;
    if (!/^(?=.*\d)(?=.*[A-Z!#$%&*+@~^?])\p{L}[\p{L}\d]*(?: [\p{L}\d!#$%&*+@~^?]{1,14}){1,4}$/u.test(value)) continue;
    if (/\b(?:the|is|are|of|to|in|for|with|and|or)\b/.test(value) || NO_PROSE.test(line)) continue;
    const from = start + match.index + match[0].length - 1 - value.length;
    onValue(from, from + value.length);
  }
}

/** What looks made up, and is all of the line below one with such a word. */
function readAlone(text: string, lineBreak: number, onValue: OnValue): void {
  if (text.charCodeAt(lineBreak) !== 10) return;
  const last = Math.min(text.length, lineBreak + 102);
  let end = lineBreak + 1;
  let hasDigit = false;
  for (; end < last; end++) {
    const unit = text.charCodeAt(end);
    if (unit === 10 || unit === 13) break;
    if (unit === 32 || unit === 9 || unit === 61 || unit === 40) return;
    if (unit >= 48 && unit <= 57) hasDigit = true;
  }
  if (!hasDigit || end - lineBreak <= SHORTEST || end === last + 1) return;
  const value = text.slice(lineBreak + 1, end);
  if (/^[\w.!?#$%&*+@~^-]{7,100}$/.test(value) && looksMadeUp(value)) onValue(lineBreak + 1, end);
}

/** The line around a place, in part if it is long, and where in it words with a digit stand: hardly any line has one that counts. */
function candidatesAround(
  text: string,
  hit: number,
): {
  readonly start: number;
  readonly end: number;
  readonly spans: readonly number[];
  readonly hasDigit: boolean;
  readonly marks: number;
} {
  let start = hit;
  const first = Math.max(0, hit - LONGEST_BEFORE);
  while (start > first && text.charCodeAt(start - 1) !== 10) start--;
  const last = Math.min(text.length, hit + LONGEST_LINE);
  let spans = NO_SPANS;
  let begin = start;
  let hasDigit = false;
  let hasAny = false;
  let marks = 0;
  let end = start;
  for (; ; end++) {
    const unit = end < last ? text.charCodeAt(end) : 10;
    const mark = unit < 128 ? (MARKS[unit] as number) : unit < 0x2000 ? 0 : ENDS_WORD | QUOTES;
    marks |= mark;
    if ((mark & ENDS_WORD) === 0) {
      if (unit >= 48 && unit <= 57) hasDigit = true;
      continue;
    }
    if (hasDigit && end - begin >= SHORTEST && end - begin <= 200) {
      if (spans === NO_SPANS) spans = [];
      spans.push(begin - start, end - start);
    }
    if (unit === 10) return { start, end, spans, hasDigit: hasAny || hasDigit, marks };
    hasAny ||= hasDigit;
    begin = end + 1;
    hasDigit = false;
  }
}

const LONGEST_ANNOUNCEMENT = 60;
const LONGEST_QUESTION = 200;
const LONGEST_BEFORE = 400;
const SHORTEST = 7;
const NO_SPANS: number[] = [];
/** Spaces, quotes, brackets, and other characters between words. */
const ENDS_WORD = 1;
const OF_CODE = 2;
const QUOTES = 4;
const MARKS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const mark = String.fromCharCode(unit);
  return (
    (/[\s"'`<>()[\]{},;|]/.test(mark) ? ENDS_WORD : 0) |
    (/["=;{}(]/.test(mark) ? OF_CODE : 0) |
    (/["`]/.test(mark) ? QUOTES : 0)
  );
});

/** Whether a word that is often near secrets is near enough for a value of that look. */
function isNamedBy(
  line: string,
  from: number,
  end: number,
  cues: readonly Cue[],
  shape: number,
  isOfCode: boolean,
): boolean {
  if (isOfCode && !isLiteral(line, from, end))
    return cues.some(({ end: stop, isNoun }) => isNoun && stop <= from && /^(?: is|:)? $/.test(line.slice(stop, from)));
  // `run_id: "…"`: that of another name, unless a comment tells.
  const isNamed = isOfCode && /[\w"'\]]\s*(?::|=>?)\s*[bfr]?["'`]$/.test(line.slice(Math.max(0, from - 12), from));
  if (isNamed && !(shape > 1 && /;\s*(?:\/\/|#|--)/.test(line.slice(end, end + 12)))) return false;
  return cues.some(({ start, end: stop, isNoun, isPerson }) => {
    const gap = stop <= from ? from - stop : start - end;
    if (gap < 0 || gap > (isNoun || shape > 1 ? FARTHEST : NEAR)) return false;
    const between = stop <= from ? line.slice(stop, from) : line.slice(end, start);
    // `login: octocat77`
    if (isPerson && /^["']?\s*[:=]\s*["']?$/.test(between)) return false;
    if (shape < 1) return !isOfCode && (isNoun || LINK_OF_KEY.test(between)) && LINK.test(between);
    if (isOfCode)
      return (
        (isNoun || (isPerson && gap < NEAR)) &&
        !/[\w.]/.test(line[stop] ?? '') &&
        !(shape > 1 ? /[\w"'\]]\s*:\s*["'`]?$/ : OF_ANOTHER).test(between)
      );
    return (
      (!/[.!?] [A-Z]|[。！？]/.test(between) || ANSWER_IS.test(between)) && (gap < NEAR || !ABOUT_VALUES.test(line))
    );
  });
}

const NEAR = 40;
/** `Password forgotten? It was …` */
const ANSWER_IS = /^[^.!?]*\? (?:it|that|es|das)(?:['’]s| is| was| ist| war) $/i;

/** Alone between quotes, tags or the lines of a table. */
const isLiteral = (line: string, from: number, end: number): boolean =>
  /["'`>]$|\| ?$/.test(line.slice(Math.max(0, from - 2), from)) && /^(?:["'`<]| ?\|)/.test(line.slice(end, end + 2));

/** The name of something else, or the end of a statement. */
const OF_ANOTHER = /[\w"'\]]\s*(?::|=>?)\s*["'`]?$|;/;

/** 2: as hardly any name does; 1: as some do; 0.5: only letters and digits, so that a word has to lead to it; 0: as names, versions and paths do. */
function shapeOf(value: string): Shape {
  const known = shapes.get(value);
  if (known !== undefined) return known;
  const shape = judgeShape(value);
  // Names of code come again and again.
  if (value.length < LONGEST_KNOWN) {
    if (shapes.size >= MOST_SHAPES) shapes.clear();
    shapes.set(value, shape);
  }
  return shape;
}

type Shape = 0 | 0.5 | 1 | 2;
const shapes = new Map<string, Shape>();
const MOST_SHAPES = 5_000;
const LONGEST_KNOWN = 48;

function judgeShape(value: string): Shape {
  if (!/[A-Za-z]/.test(value) || (value.includes('/') && !looksRandom(value))) return 0;
  if (looksMadeUp(value)) return strengthOf(value) === 2 ? 2 : 1;
  return /^(?=.*\d)(?=.*[A-Za-z]{2})[A-Za-z\d!?#@$%&*+-]{8,80}$/.test(value) &&
    /^(?=.*[g-z])[a-z]{4,}\d{1,4}[a-z]{1,3}$|^[a-z]{5,}-\d{2,4}$|^[a-f\d]{24,39}$|^[a-z]{4,}\d{2,4}[!?]?$/.test(
      value,
    ) &&
    !NUMBERED_THING.test(value) &&
    !isStandIn(value)
    ? 0.5
    : 0;
}

/** Between a word and the value that it leads to. */
const LINK =
  /^, (?:which|that|das|der|die) (?:is|was|ist|war) (?:our|the|my|unser\w*|das|der|die|mein\w*) (?:[\w-]+ ){0,3}$|^["'`)\]*_]{0,3}(?:['’]s)?(?=.*[a-zé:=→,(])(?: (?:for|of|on|from|für|von|vom|zum|zur) (?:the |my |our |die |den |das |dem )?[\w@.-]{2,24}){0,2}(?:,?[ ]{1,2}(?:is|are|was|be|to|now|still|it['’]s|seems|set|changed|remains|as|with|equals|always|again|war|ist|sei|bisher|lautet|jetzt|nun|immer|noch|seit|heute|übrigens|aktuell|nimm|est|es|é|son|são)){0,4},?\s{0,2}[:=→>-]{0,3}\s{0,3}[*_`"'“„«(]{0,3}$/i;
const LINK_OF_KEY = /^ (?:is|are|was|now)/;

/** `Password`, `> what is the wifi password?`, `### Credentials`, `the root password is:`. */
const ENDS_LABEL = /[\p{L}:?：*_>\s]/u;
const ANNOUNCING = new RegExp(
  `(?<![\\w-])\\p{L}*(?:${NOUNS}|(?:secret )?access key|pin|密码|パスワード)(?: (?:is|ist|es|est|é)(?: now)?|は|是)?[?:：]{0,2}[*_]{0,2}:?(?:</\\w{1,10}>){0,2}\\s*$`,
  'iu',
);

const ASKED =
  '(?<![\\w-])(?:pass(?:word|phrase|code|wd)|pw|pwd|secret|token|credentials?|api key|passwort|kennwort|mot de passe|mdp|contraseña|clave|senha|パスワード|密码|pin)(?![\\w-])';
const ASKS = new RegExp(
  `(?<![\\w-])(?:what|which|remind|know|tell|got|have|remember|give|wie|welches|wie|hast|kennst|quel|cuál|qual|何|什么)(?![\\w-])[^?？]{0,100}${ASKED}[^?？]{0,60}[?？]\\s*$|${ASKED}[^?？.]{0,40}(?:是什么|は何)[^?？]{0,10}[?？]\\s*$`,
  'iu',
);
const SAYS_BELOW = new RegExp(
  `${ASKED}[^\\n]{0,100}(?<![\\w-])(?:is|value|follows|below|following|here|this|new one|ist|lautet|folgt|unten|suivant|est|es|é|abaixo|abajo)[^.:]{0,12}[.:：]\\s*$`,
  'iu',
);

/** Whether a line asks for a secret, or says that it is below. */
export const asksForSecret = (line: string): boolean =>
  /[?？]\s*$/.test(line) ? ASKS.test(line) : SAYS_BELOW.test(line) || HANDS_OVER.test(line);

/** Nearly all lines that end with a full stop say nothing of the next one. */
const mayAsk = (text: string, end: number): boolean => {
  const last = text[end - 1];
  return last === '.'
    ? /(?:below|here|follow\w*|unten|folgt|abajo|abaixo|suit)\.$/.test(text.slice(Math.max(0, end - 14), end))
    : last !== undefined && '?:？：'.includes(last);
};
const HANDS_OVER = new RegExp(`(?<![\\w-])here(?:['’]s| is| are)[^\\n]{0,40}${ASKED}[^.\\n]{0,40}:\\s*$`, 'iu');

/** An answer to a question for a secret: a word with a digit that names nothing else. */
const isAnswered = (value: string): boolean =>
  looksMadeUp(value) ||
  isPassphrase(value) ||
  (value.length >= 7 &&
    /\d/.test(value) &&
    /[A-Za-z]{2}/.test(value) &&
    !isStandIn(value) &&
    !isOrdinary(value) &&
    !isCode(value) &&
    !isReference(value) &&
    !NUMBERED_THING.test(value) &&
    !/[/\\()]|^[\w.-]+:|^\w+=|\.[a-z]{2,4}$/.test(value));

/** One of the next two lines, if it is a word alone, or behind `A:`. */
function readAnnounced(
  text: string,
  lineBreak: number,
  onValue: OnValue,
  accepts: (value: string) => boolean = looksMadeUp,
): void {
  let from = lineBreak + 1;
  for (let count = 0; count < 3 && from < text.length; count++) {
    const end = lineEnd(text, from);
    const word = ANSWER.exec(text.slice(from, Math.min(end, from + 240)));
    const value = word?.[1];
    if (value !== undefined && accepts(value)) {
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
  /^[>\s]{0,8}(?:\[?\d\d?:\d\d(?::\d\d)?\]? )?(?:<[\w.@-]{1,24}> |<?[\w.@-]{1,24}>?: |[-*>] )?(?:(?:it['’]?s|it is|that['’]?s|it was|use|try|is|es ist|das ist|c['’]est|é|es|son):? )?["'`]?([^\s"'`]{6,100})["'`]?[.!]?\s*$/i;

const isWithinPlaceholder = (text: string, hit: number): boolean =>
  /\[(?:masked|redacted)[ :][\w-]*$/.test(text.slice(Math.max(0, hit - 60), hit));

/**
 * Less than `strengthOf` asks, for what is already said to be secret: words with digits, and capitals or marks, that name
 * nothing else: `Kranich!Tor9`, `zebra-Ink-2231`.
 */
export function looksMadeUp(accented: string): boolean {
  const value = /[\u00c0-\u024f]/.test(accented) ? accented.normalize('NFD').replace(/\p{M}/gu, '') : accented;
  if (IDS.test(value) || isNameOfCode(value)) return false;
  if (strengthOf(value) > 0) return true;
  if (value.length < 7 || value.length > 100 || !/\d/.test(value) || !/[A-Za-z]{2}/.test(value)) return false;
  if (isStandIn(value) || isOrdinary(value) || isCode(value) || isReference(value)) return false;
  if (!/[a-z][A-Z]/.test(value) && NUMBERED_THING.test(value)) return false;
  if (
    !/^[\w.!?#$%&*+@~^:/;=-]+$/.test(value) ||
    /^-|^0x|^\$|:\/\/|^[\w.-]+@[\w-]+(?:\.[\w-]+)+$|^\/|\.(?:[a-z]{2,4})(?:[:/#?].*)?$|(?:^|[-_.])v?\d+\.\d+|\d{4}-\d\d|^\w+[=:]|^[A-Z]+(?:_[A-Z0-9]+)+$/.test(
      value,
    )
  )
    return false;
  if (
    /pass(?:word|wd|phrase)?|token|secret|credential|(?:^|[-_.a-z])key|auth|hash|sha\d|version|claude|gpt|llama|gemini|qwen|sonnet|opus|haiku|poly1305|25519|^#|\.\./i.test(
      value,
    )
  )
    return false;
  if (isLeet(value)) return true;
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

/** `St4rk-Python-x`: words of which one has a digit in a letter's place, with a capital or a mark beside. */
function isLeet(value: string): boolean {
  if (!/^[A-Za-z\d]+(?:[-_.!?#+@][A-Za-z\d]+)+$/.test(value) || /^[^A-Z!?#+@]*$/.test(value)) return false;
  return value
    .split(/[-_.!?#+@]/)
    .some((part) => /^[A-Za-z]+\d[a-z]{2,}$|^\d[a-z]{3,}$|^[A-Z]?[a-z]+\d[a-z]$/.test(part) && !TECHNICAL.test(part));
}

const TECHNICAL =
  /^(?:(?:e2e|k8s|i18n|l10n|a11y|s3|x86|utf8|md5|oauth2|http[23]|log4|win32|py[23]|es[56]|n8n|web[23]|ipv[46]|sha\d|v\d|h2|db2|d3)\w*|\d(?:rd|nd|st|th|px|rem|xx|fa)\w*|[a-z]+2[a-z]+|[a-f\d]+|\d(?:days?|hours?|weeks?|month\w*|years?|min\w*|sec\w*|bit|byte\w*|way|step\w*|point\w*|click))$/i;

/** Numbers that names of code end with. */
const USUAL_NUMBER =
  /^(?:\d|1[0268]|2[045]6?|32|36|58|6[04]|8[05]|9[56]|100|128|192|2[05]\d|3\d\d|4\d\d|5\d\d|[1-9]0{2,4}|10\d\d|20\d\d|4096|8080|8859|rfc\d+)$/i;

/** Ids such as `call-3f2a91cc01`, hashes, and escapes. */
const IDS =
  /^[a-z\d-]{2,60}-(?:token|dockercfg|tls)-[a-z\d]{5}$|^[A-Z][A-Za-z]*(?:-[A-Za-z]+)*-(?=[0-9a-f]*\d[0-9a-f]*$)(?=\d*[a-f])[0-9a-f]{7,40}$|^u00[0-9a-f]{2}|%[0-9A-F]{2}|^\$2[aby]\$|&#|[0-9a-f]{8}-[0-9a-f]{4}-|^[a-z_-]{3,}[-_][0-9a-f]{6,}$|[-_][0-9a-f]{32,}$|^\d+(?:-[A-Za-z]+)+$/;

/** `X509CertificateFactory`, `s1.caManager`, `mockOAuth2Client`, `SCOPE_scope2`. */
export function isNameOfCode(value: string): boolean {
  if (!/^[\w.*&]+$/.test(value)) return false;
  const words = value.split(/[._*&]+|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).filter((word) => word !== '');
  // `Falcon.Train.4`, `maple.otter.42`, `walrus96Q7`
  if (
    words.length < 2 ||
    value.length < words.length * (value.length >= 16 && /\d.*\d/.test(value) && !value.includes('_') ? 3.7 : 3) ||
    /^[a-z]{4,}\.[a-z]{4,}\.\d{2,3}$|^[a-z]{5,}\d{2,4}[A-Z]\d$|^(?:[A-Z][a-z]{2,}[._]){2,}\d+$|^[A-Z][a-z]{2,}_[A-Z][a-z]{2,}\d+$/.test(
      value,
    )
  )
    return false;
  const isLong = words.length > 2 && value.length >= 18;
  return words.every((word) => {
    const [, letters, digits = ''] = /^([A-Za-z]{0,24})(\d{0,4})$/.exec(word) ?? [];
    if (letters === undefined) return /^(?:K8s|I18n|L10n|A11y|E2E|k8s|i18n|l10n|e2e|\d+[a-z]?)$/.test(word);
    return (
      digits === '' ||
      (isLong && letters.length > 1 && digits.length < 4) ||
      USUAL_NUMBER.test(digits) ||
      /^rfc$/i.test(letters)
    );
  });
}

/** Names of standards, programs and numbered things: `RFC7519`, `ubuntu-22.04`, `gpt-4o`, `CVE-2024-1234`, `user123`. */
const NUMBERED_THING =
  /^(?:(?:rfc|iso|cve|ghsa|utf|sha|md|aes|rsa|ecdsa|dsa|ed|hs|rs|es|ps|hmac|pbkdf|base|oauth|http|https|tls|ssl|secp|curve|argon|wpa|pkcs|fips|windows|ubuntu|debian|node|python|php|java|gpt|claude|llama|gemini|qwen|issue|bug|ticket|step|test|user|admin|client|server|file|line|page|chapter|section|part|version|room|item|phase|sprint|release|day|week|year|port|host|key|token|password|secret|account|agent|task|model|build)s?[-_.#]?v?\d[\w.-]*|[a-z]{1,8}[-_.]?v?\d{1,3}(?:\.\d+)*|[a-z]+[-_.]v?\d{1,3}(?:\.\d+)*|\d+[a-z]{1,3}|\d+(?:st|nd|rd|th)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-_.]?\d{2,4})$/i;
const NUMBERED_NAME_PART = /^[A-Z]{1,10}[-_]?\d{1,6}$|^[A-Z]?[a-z]+\d{1,2}$/;

/** `Walrus-88-Fig` */
const PHRASE = /^[A-Z][a-z]{2,12}-\d{2,4}-[A-Z][a-z]{2,12}$/;

/**
 * How much a word of a sentence or a command looks as if a person or a program had made it up to be secret: 2 as hardly any
 * other word does, 1 as some names do, too, 0 as words, names, paths, versions and code do.
 */
export function strengthOf(value: string): 0 | 1 | 2 {
  if (isNameOfCode(value)) return 0;
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
  if (
    value.length >= 8 &&
    /[!?#$%&*+@~^]/.test(value.slice(1)) &&
    !/^\w+[+*@/]\d+$/.test(value) &&
    (value.match(/\d/g)?.length ?? 0) >= 2
  )
    return 2;
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
