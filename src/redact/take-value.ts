// Of what a name names: whether it is a secret, or what stands for one.

import { isNameOfCode } from './read-nearby.ts';
import { at, endOfQuoted, indexWithin, LONGEST_VALUE, type Name, type OnValue } from './scan-text.ts';
import { entropyOf, isCode, isPathOrUrl, isReference, isStandIn, looksRandom, NUMBERED_WORDS } from './value-looks.ts';

/** Without what ends a sentence, a statement or a bracket around it. */
export function unpunctuated(value: string, isWhole: boolean): string {
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
export function isCodeValue(value: string, behind: string): boolean {
  if (isCode(value) || isReference(value)) return true;
  const bare = value.replace(/[;,]+$/, '');
  if (
    /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*(?:\?\.)?\(.*$/.test(bare) &&
    /^[\w$.]*[._$]|^\w{8,}\(|\?\.\(/.test(bare) &&
    !/[)\]][\w!@#$%^&*-]+$/.test(bare)
  )
    return true;
  if (
    /^(?:await|new|return|typeof|yield|async|function|class|import|not|in|if|for|else|case|(?:null|true|false|None|undefined)(?=[,;)}?&|]))(?!\w)|^(?:\(\)|\(?[A-Za-z_$]\w*\)?) ?=>|^\(\w+\)[.-]|^\(?(?:self|this|request)\./.test(
      bare,
    )
  )
    return true;
  if (
    /^[A-Za-z_$][A-Za-z_$]*(?:\d?(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*!?(?:[([{]|<(?![+*?;&|=\d]))/.test(bare) &&
    !/[)\]][\w!@#$%^&*-]+$/.test(bare)
  )
    return true;
  if (/^[$@&*!(]*[A-Za-z_][\w]*(?:(?:\??\.|::|->)[A-Za-z_]\w*)+[!?]*$/.test(bare) && !/\d{2}/.test(bare)) return true;
  if (/^(?:[({[<]|\$\(|\$\{|=>|\/[\^(\\]|<%|\{\{|%\{)/.test(bare) && /^[[({<$=/]+["'$\s\w.]*[\])}>]*$/.test(bare))
    return true;
  return /^[A-Za-z_]\w*\[[\w"'.:-]*\]?$/.test(bare) || behind.endsWith('(') || /^&?(?:mut )?[a-z_]+::/.test(bare);
}

export function takeQuoted(
  text: string,
  from: number,
  name: Name,
  onValue: OnValue,
  accepts?: (value: string) => boolean,
) {
  const quote = text[from] as string;
  if (text.startsWith(quote.repeat(3), from)) {
    const end = indexWithin(text, quote.repeat(3), from + 3);
    const start = from + 3 + (/^\s*/.exec(text.slice(from + 3, from + 60))?.[0].length ?? 0);
    if (end > start && end - start < LONGEST_VALUE) take(text, start, end, name, onValue, accepts);
    return;
  }
  const end = endOfQuoted(text, from + 1, quote);
  let isTaken = false;
  take(
    text,
    from + 1,
    end,
    name,
    (start, stop) => {
      isTaken = true;
      onValue(start, stop);
    },
    accepts,
  );
  if (isTaken && name.kind === 'sure' && text[end] === quote) takeRest(text, from, end + 1, onValue);
}

/** Further literals of the same value: `"ab" + "cd"`, `"ab"'cd'` of a shell, lines of literals in brackets. */
const NEXT_LITERAL = /(?:\s{0,40}(?:\+|\.{1,2}|&|\\)\s{0,40})?(?=["'])/y;
const NEXT_LINE = /\s{1,40}(?=["'])/y;

function takeRest(text: string, opening: number, from: number, onValue: OnValue) {
  const isOpen = /\(\s*$/.test(text.slice(Math.max(0, opening - 40), opening));
  let place = from;
  for (let count = 0; count < 8; count++) {
    const gap = at(NEXT_LITERAL, text, place) ?? (isOpen ? at(NEXT_LINE, text, place) : null);
    if (!gap) return;
    const start = place + gap[0].length;
    const end = endOfQuoted(text, start + 1, text[start] as string);
    if (end - start < 3 || text[end] !== text[start] || /^\s*[:=]/.test(text.slice(end + 1, end + 4))) return;
    const value = text.slice(start + 1, end);
    if (isStandIn(value) || /\s/.test(value)) return;
    onValue(start + 1, end);
    place = end + 1;
  }
}

export function take(
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

const SAME_WORD =
  /^(?:(?:确认|確認|新|旧|重复|重複|请输入|輸入|输入|忘记)?(?:密码|密碼|口令|令牌|密钥|密鑰|パスワード|トークン|シークレット|비밀번호|토큰)(?:[（(].{1,8}[)）]|を?確認|确认|確認|확인)?|(?:chiave|clave|clé|cle|chave|schlüssel)(?: api)?|segreto|secreto|segredo|wachtwoord|lösenord|losenord|adgangskode|passord|salasana|hasło|haslo|heslo|parola|şifre|sifre|jelszó|пароль|токен|секрет|ключ|passwort|kennwort|mot de passe|contraseña|senha|jeton|geheimnis|token)(?: api)?[:.!?…]?$/iu;

const NO_VALUES =
  /^(?:include|same-origin|omit|bearer|basic|digest|oauth2?|saml|keyboard|default|implicit|password|code|plain|n\/a|none|null|nil|undefined|true|false|yes|no|on|off|read|write|not set|not found|unset|auto|inherit|string|required|optional)$/i;

/** What texts for readers say about passwords, and what only joins words. */
const MESSAGE =
  /(?:^|\s)(?:password|passwort|token|secret|key|credentials?|required|invalid|enter|must|please|your|cannot|failed|missing|new|current|confirm|incorrect|wrong|forgot\w*|characters?|expired)(?=[\s.,:;!?'’)]|$)/i;
const JOINS_WORDS = /(?:^|\s)(?:the|is|are|not|for|from|with|to|of|and|or|if|be|has|have)(?=[\s.,:;!?'’)]|$)/gi;

/** Words that name nothing else when they are all of a name: `"token": "…"`, `pass: …`. */
export const isExactly = ({ text }: Name): boolean => /^(?:token|pass|auth|pat|creds|pw|pin)$/i.test(text);

/** What these are in grammars, themes, parsers and settings of servers. */
const OTHER_WORDS =
  /^(?:comment|keyword|operator|punct\w*|ident\w*|variable|function|constant|literal|regexp?|whitespace|newline|eof|symbol|number|class|tag|attr\w*|doctype|paren\w*|bracket|brace|comma|colon|session|none|always|never|login|google|github|oidc|ldap|kerberos|local|passport|internal|external|public|private|service|middleware|routes?|module|header|cookies?|success|failed|failure|passed|skipped|ok|error|pending|second|third|fourth|final|forward|render|shadow|opaque|text|word|plain|markup|storage|support|meta|entity|invalid)(?:[.-].*)?$/i;
const isPlainWord = (value: string): boolean => /^[a-z]{6,24}$/.test(value) && !OTHER_WORDS.test(value);

/** Whether a value only repeats its name: `SN_kx_psk "kx-psk"`, `private_key: "_EllipticCurvePrivateKey"`. */
function isSameName(key: string, value: string): boolean {
  if (value.length > 60) return false;
  const [name, said] = [key, value].map((text) => text.toLowerCase().replace(/[^a-z0-9]/g, '')) as [string, string];
  return (
    (said !== '' && name.endsWith(said)) ||
    (name.length >= 6 && said.endsWith(name) && /^_?[A-Z][A-Za-z]+$/.test(value))
  );
}

/** What a program drew: of a key whose name says nothing else. */
const looksDrawn = (value: string): boolean =>
  (value.length >= 20 && looksRandom(value)) || /^(?=.*\d)(?:[0-9a-f]{32,128}|[A-Z2-7]{26,64})$/.test(value);

/** Parts of regular expressions and alphabets. */
const EXPRESSION = /\(\?[:=!<]|\)\?_\?|\[\^|\(\^|\[[a-z]-[a-z]|\{\d+,\d*\}|abcdefghijklm/i;

/** Whether the whole of it stands for a value that is elsewhere, or is a text about one. */
function isNoSecret(value: string, { kind, text: key, isExact = false }: Name): boolean {
  if (NO_VALUES.test(value) || isStandIn(value) || isSameName(key, value)) return true;
  // Texts for readers.
  if (
    /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{6}/.test(value) ||
    (kind === 'maybe' && /[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/.test(value))
  )
    return true;
  // `anonymous@`, `JSON.create_id`
  if (/^-?anonymous@?$|^[A-Z][A-Za-z]*\.[a-z_]+$|^\((?:const|struct|void|int|unsigned|size_t|char)\b/.test(value))
    return true;
  // The word itself in other languages, as texts for readers have it.
  if (SAME_WORD.test(value) || /^(?:&(?:#x27|#39|quot);)?\*+/.test(value)) return true;
  // A type in a table: `api_key varchar(64)`.
  if (/^(?:n?(?:var)?char|varbinary|binary|character varying|decimal)\(\d{1,5}\),?$/i.test(value)) return true;
  // `@client.secret@`
  if (/^@[a-z]+(?:[._-][a-z]+)*@$/.test(value)) return true;
  // Words for readers; a password has other characters, too.
  if (/^[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2,}$/.test(value)) return true;
  // `SETTING_PASS="EXIT"`
  if (/_PASS$/.test(key) && /^[A-Z]{2,12}$/.test(value)) return true;
  if (/^\[redacted:|^\[masked/.test(value) || /^[-=*_.#~+|\s]+$/.test(value)) return true;
  if (/^\d{1,3}$|^[~^]?\d{1,3}\.\d{1,4}\.\d{1,6}(?:-[a-z][\w.-]*)?$/.test(value)) return true;
  if (
    NUMBERED_WORDS.test(value) &&
    (kind === 'maybe' || /(?:^|[-.])(?:pass\w*|secrets?|tokens?|keys?|creds?|credentials?)(?=[-.])/.test(value))
  )
    return true;
  if (
    /^--[a-z]/.test(value) ||
    /^#[0-9a-f]{3,8}$/i.test(value) ||
    (EXPRESSION.test(value) && !(value.length >= 32 && !/\s/.test(value) && entropyOf(value) > 4.7)) ||
    /^(?:&lt;|&#x3C;|&#60;)/i.test(value) ||
    /^:[a-z]+:/.test(value)
  )
    return true;
  // Rules of forms, names of migrations, of variables, and texts of templates.
  if (
    /^[a-z_]{2,20}:\d{1,4}$|^\d{4}_[a-z]\w*$|^[A-Z][A-Z0-9_]*_(?:SECRET|KEY|TOKEN|PASSWORD|PASS|PWD|ID)$|^\{%.*%\}$/.test(
      value,
    ) ||
    (kind === 'maybe' && /^[a-z]+\d{0,3}(?:_[a-z]+\d{0,3}){2,}$/.test(value))
  )
    return true;
  const spaces = value.match(/\s+/g)?.length ?? 0;
  if (spaces >= 1 && (spaces > 8 || MESSAGE.test(value))) return true;
  const joins = spaces >= 1 && !/phrase/i.test(key) ? (value.match(JOINS_WORDS)?.length ?? 0) : 0;
  if (joins >= 2 || (joins === 1 && (kind === 'maybe' || /^[A-Z][^\d$]*[.!?:]$/.test(value)))) return true;
  if (
    isPathOrUrl(value) &&
    (/^(?:https?|wss?):/.test(value) ||
      (/^(?:\/|~|\.{1,2}\/|[A-Za-z]:)[\w./\\~-]*$/.test(value) && !/\d.*[A-Z]|[A-Z].*\d/.test(value)))
  )
    return true;
  if (
    kind === 'maybe' &&
    isExact &&
    (isPlainWord(value) ||
      (/^[\w@!.+-]*[!@+-][\w@!.+-]*$/.test(value) &&
        value.length >= 8 &&
        !NUMBERED_WORDS.test(value) &&
        !/^[a-z]+(?:-[a-z]+)*$/.test(value)))
  )
    return false;
  if (kind === 'maybe')
    return (
      (/_KEY$/.test(key) && !looksDrawn(value)) ||
      value.length < 6 ||
      !(
        /\d/.test(value) ||
        (value.length >= 12 && /[A-Z]/.test(value) && /[a-z]/.test(value) && !isNameOfCode(value))
      ) ||
      (/^[\d.,:%-]+$/.test(value) && value.length < 8) ||
      spaces > 0
    );
  return false;
}
