const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALPHABETS: Readonly<Record<string, string>> = {
  an: LETTERS + LETTERS.toUpperCase() + DIGITS,
  lo: LETTERS + DIGITS,
  up: LETTERS.toUpperCase() + DIGITS,
  az: LETTERS,
  num: DIGITS,
  hex: '0123456789abcdef',
  HEX: '0123456789ABCDEF',
  w: `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}_-`,
  b64: `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}+/`,
};

export interface FilledSample {
  readonly text: string;
  /** What stands in the holes: nothing of it may be left. */
  readonly secrets: readonly string[];
}

/** The holes of a sample filled with characters drawn by a seed: `ghp_{an:36}`, `{uuid}`, `{pem:RSA PRIVATE KEY}`, `{=hunter2}`; `{~num:9}` is no secret. */
export function fillSample(sample: string, seed = 1): FilledSample {
  const draw = createDraw(`${sample}${seed}`);
  const secrets: string[] = [];
  const fill = (name: string, length: number): string => {
    const alphabet = ALPHABETS[name] ?? '';
    const text = Array.from({ length }, () => alphabet[draw(alphabet.length)]).join('');
    // Long enough to hold one of each kind, it does: hardly any token of that length goes without.
    if (length < 16 || !/^(?:an|w|b64|lo|up)$/.test(name)) return text;
    const lead = name === 'lo' ? 'q7' : name === 'up' ? 'Q7' : 'q7Z';
    return lead + text.slice(lead.length);
  };
  const keep = (secret: string): string => {
    secrets.push(secret);
    return secret;
  };
  const text = sample.replace(
    /\{pem:([A-Z0-9 ]+)\}|\{(uuid)\}|\{=([^}]+)\}|\{(~?)(\w+):(\d+)\}/g,
    (_, title, uuid, word, open, name, length) => {
      if (title !== undefined) {
        const lines = Array.from({ length: 6 }, () => keep(fill('b64', 64))).join('\n');
        return `${'-'.repeat(5)}BEGIN ${title}${'-'.repeat(5)}\n${lines}\n${'-'.repeat(5)}END ${title}${'-'.repeat(5)}`;
      }
      if (uuid !== undefined) return keep([8, 4, 4, 4, 12].map((size) => fill('hex', size)).join('-'));
      if (open === '~') return fill(name, Number(length));
      return keep(word ?? fill(name, Number(length)));
    },
  );
  return { text, secrets };
}

/** xorshift, so that samples are the same in every run. */
function createDraw(seed: string): (below: number) => number {
  let state = 2_463_534_242;
  for (const unit of seed) state = (Math.imul(state, 31) + unit.charCodeAt(0)) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}
