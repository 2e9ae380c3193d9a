// Secrets in the forms that agents' sessions have them in. Written without the rules: nothing here comes from the engine.

import {
  ALNUM,
  base64,
  between,
  inSingle,
  json,
  LOOKS,
  many,
  nameOf,
  pick,
  type Random,
  STEMS,
  xml,
} from './drawing.ts';
import { DATA_FORMS } from './plant-forms.ts';
import { CODE_FORMS, COMMAND_FORMS } from './plant-sentences.ts';
import { NAMELESS, VENDORS } from './plant-tokens.ts';

/** One secret in one text. */
export interface Plant {
  /** Which form it has, and which look: for reports. */
  readonly form: string;
  readonly look: string;
  readonly secret: string;
  readonly text: string;
  /** Whether a structured format names it by a secret's key: nothing of that kind may get out. */
  readonly isKeyed: boolean;
}

export const FORMS = { ...DATA_FORMS, ...CODE_FORMS, ...COMMAND_FORMS };

const AROUND: readonly ((token: string) => string)[] = [
  (token) => `Here you go: ${token}`,
  (token) => `$ tool login\nuse ${token} when asked\n`,
  (token) => `tool.init("${token}")`,
  (token) => `  200 OK  ${token}\n`,
  (token) => json({ items: ['a', token] }),
];

/** Things that nobody sees, between any two characters. */
const UNSEEN = [
  '\u2061',
  '\u180e',
  '\ufe0f',
  '\u00ad',
  '\u200b',
  '\u2066',
  '\u{e0041}',
  '\u2060',
  '\u034f',
  '\u3164',
  '\u200e',
  '\u{e0100}',
];

const fullWidth = (text: string): string =>
  text.replace(/[!-~]/g, (mark) => String.fromCharCode(mark.charCodeAt(0) + 0xfee0));

const DISGUISES: Readonly<Record<string, (text: string, secret: string, random: Random) => string>> = {
  plain: (text) => text,
  unseen: (text, secret, random) => {
    const at = between(random, 1, secret.length - 1);
    return text.replace(secret, () => secret.slice(0, at) + pick(random, UNSEEN) + secret.slice(at));
  },
  'full width': (text, secret) => text.replace(secret, () => fullWidth(secret)),
};

function keyText(random: Random): { readonly text: string; readonly lines: readonly string[]; readonly form: string } {
  const count = pick(random, [5, 26, 52, 400]);
  const kind = pick(random, ['RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PRIVATE KEY', 'EC PRIVATE KEY']);
  const lines = Array.from({ length: count }, (_, index) => many(random, `${ALNUM}+/`, index === count - 1 ? 38 : 64));
  lines[0] = `MIIEowIBAAKCAQEA${(lines[0] as string).slice(16)}`;
  const dashes = '-'.repeat(5);
  const head = `${dashes}BEGIN ${kind}${dashes}\n`;
  const tail = `\n${dashes}END ${kind}${dashes}\n`;
  const forms: Record<string, string> = {
    whole: head + lines.join('\n') + tail,
    'without head': lines.join('\n') + tail,
    'without tail': head + lines.join('\n'),
    'lines only': lines.join('\n'),
    'in JSON': json({ key: head + lines.join('\n') + tail }),
    indented: `key: |\n${(head + lines.join('\n') + tail).replace(/^(?=.)/gm, '    ')}`,
    numbered: (head + lines.join('\n') + tail)
      .split('\n')
      .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
      .join('\n'),
  };
  // Lines alone need enough of them to be seen as what they are.
  const form = pick(
    random,
    Object.keys(forms).filter((one) => count > 10 || one !== 'lines only'),
  );
  return { text: forms[form] ?? '', lines, form: `private key, ${form}, ${count} lines` };
}

/** Draws one; what it draws is the same for the same numbers. */
export function drawPlant(random: Random): Plant {
  const which = random();
  if (which < 0.2) {
    const vendor = pick(
      random,
      Object.keys(VENDORS).filter((name) => !['Beamer', 'ClickHouse', 'Polymarket'].includes(name)),
    );
    const token = VENDORS[vendor]?.(random) ?? '';
    const secret = token.replace(
      /^(?:\w+_API_KEY=|AccessKey |https:\/\/[\w.]+\/(?:hooks\/catch|api\/webhooks|services|workflows|triggers)\/)/,
      '',
    );
    const disguise = NAMELESS.has(vendor)
      ? 'plain'
      : pick(random, ['plain', 'plain', 'plain', ...Object.keys(DISGUISES)]);
    const text = pick(random, AROUND)(token);
    return {
      form: `vendor: ${vendor}`,
      look: disguise,
      secret,
      text: DISGUISES[disguise]?.(text, secret, random) ?? text,
      isKeyed: false,
    };
  }
  if (which < 0.23) {
    const { text, lines, form } = keyText(random);
    return {
      form,
      look: 'lines',
      secret: lines[Math.floor(random() * (lines.length - 1))] ?? '',
      text,
      isKeyed: false,
    };
  }
  for (;;) {
    const [form, { write, takes, isKeyed = false, isProse = false }] = pick(random, Object.entries(FORMS));
    const look = pick(random, Object.keys(LOOKS));
    const secret = LOOKS[look]?.(random) ?? '';
    if (takes && !takes.test(secret)) continue;
    if (isProse && /^(?:plain word|phrase)$/.test(look)) continue;
    return { form, look, secret, text: write(nameOf(pick(random, STEMS)), secret, random), isKeyed };
  }
}

/** What of the secret is left in a text: whole, in the ways in which formats write it, or most of it. */
export function isLeftIn(secret: string, text: string): boolean {
  const bare = (one: string): string =>
    // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them by itself.
    one.normalize('NFKC').replace(/[\p{Cf}\u034f\u3164\u115f\u1160\u{e0000}-\u{e01ef}\ufe00-\ufe0f\u180e]/gu, '');
  const forms = [
    secret,
    json(secret).slice(1, -1),
    json(json(secret).slice(1, -1)).slice(1, -1),
    encodeURIComponent(secret),
    xml(secret),
    inSingle(secret),
    base64(`ann:${secret}`),
  ];
  const shown = [text, bare(text)];
  if (shown.some((one) => forms.some((form) => one.includes(form)))) return true;
  // Two thirds of it in one piece are as good as all.
  const most = Math.ceil((secret.length * 2) / 3);
  if (most < 6) return false;
  for (let at = 0; at + most <= secret.length; at++) {
    const piece = secret.slice(at, at + most);
    if (/^[a-z ]+$/i.test(piece) && piece.length < 10) continue;
    if (shown.some((one) => one.includes(piece))) return true;
  }
  return false;
}
