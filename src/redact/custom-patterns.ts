import type { SecretRule } from './rule.ts';

/** A person's own kind of secret, as `config.json` names it. */
export interface CustomPattern {
  readonly name: string;
  /** A regular expression; its last group that took part is the secret, without groups all of it. */
  readonly pattern: string;
}

/** So many ways to match may be tried at one place of a text; what is repeated without a limit shares them. */
const MOST_WAYS = 65_536;

/** The rule of a pattern, or a sentence that says why there can be none. */
export function readCustomPattern({ name, pattern }: CustomPattern): SecretRule | string {
  if (!/^[a-z0-9][a-z0-9-]{0,40}$/.test(name)) return 'a name consists of small letters, digits and dashes';
  const bounded = boundPattern(pattern);
  if (typeof bounded === 'string') return bounded;
  const { source } = bounded;
  let compiled: RegExp;
  try {
    compiled = new RegExp(source, 'dgu');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (new RegExp(`^(?:${source})$`, 'u').test('')) return 'it matches nothing at all, and with that everywhere';
  if (isSlow(compiled, pattern))
    return 'it takes too long on some texts: repeat less, or say more exactly what is repeated';
  return {
    id: name,
    group: 'by name and place',
    basis: 'pattern',
    what: 'your own pattern',
    source: 'config.json',
    date: null,
    keywords: [],
    pattern: compiled,
    before: 0,
    reach: 0,
    samples: [],
    misses: [],
  };
}

/** Whether a value is one that may be shown; or a sentence that says why the entry cannot be used. */
export function readAllowed(entry: string): ((value: string) => boolean) | string {
  if (entry === '') return 'it is empty';
  if (entry.length < 3 || !entry.startsWith('/') || !entry.endsWith('/')) return (value) => value === entry;
  const rule = readCustomPattern({ name: 'allow', pattern: entry.slice(1, -1) });
  if (typeof rule === 'string') return rule;
  const whole = new RegExp(`^(?:${rule.pattern.source})$`, 'u');
  return (value) => whole.test(value);
}

/**
 * Repetitions within repetitions can take longer than anybody waits, so they are refused, as is what refers back; every open
 * end gets a limit. What is left costs a bounded amount at each place of a text.
 */
function boundPattern(pattern: string): { readonly source: string } | string {
  if (pattern.length > 1_000) return 'it is longer than 1,000 characters';
  const open = [...pattern.matchAll(/[*+]|\{\d+,\}/g)].length;
  const most = Math.min(256, Math.floor(MOST_WAYS ** (1 / Math.max(1, open))));
  let ways = 1;
  let result = '';
  /** For each open group: whether something within it is repeated or chosen. */
  const groups = [false];
  /** The part before closed such a group. */
  let isBehindOpen = false;
  for (const [part] of pattern.matchAll(
    /\\(?:[pPu]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:<[=!]|[:=!]|<\w+>)|\{\d+(?:,\d*)?\}|[\s\S]/g,
  )) {
    if (/^\\(?:[1-9]|k)/.test(part)) return 'it refers back to what it matched';
    if (part.startsWith('(')) groups.push(false);
    const repetition = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})$/.exec(part);
    if (!repetition) {
      isBehindOpen = part === ')' && groups.pop() === true;
      if (part === '|' || isBehindOpen) groups[groups.length - 1] = true;
      result += part;
      continue;
    }
    // A second mark makes the first one lazy.
    if (part === '?' && /(?:[*+?]|\{\d+(?:,\d*)?\})$/.test(result) && !/\\[*+?}]$/.test(result)) {
      result += part;
      continue;
    }
    if (isBehindOpen && part !== '?') return 'it repeats a group in which something is repeated or chosen';
    const [, least = part === '+' ? '1' : '0', comma, last] = repetition;
    if (Number(last || least) > 1_000) return 'it repeats something more than 1,000 times';
    const isExact = part.startsWith('{') && comma === undefined;
    const limit = part === '?' ? 1 : Number(last || Math.max(most, Number(least)));
    if (!isExact) {
      groups[groups.length - 1] = true;
      ways *= limit - Number(least) + 1;
    }
    if (ways > 8 * MOST_WAYS) return 'it repeats too much';
    result += isExact || part === '?' ? part : `{${least},${limit}}`;
    isBehindOpen = false;
  }
  return { source: result };
}

/** Held against texts made of its own characters: each is bounded, so this ends in any case. */
function isSlow(compiled: RegExp, pattern: string): boolean {
  const letters = [...new Set([...pattern.replace(/\\[A-Za-z]/g, ''), 'a', '0', ' ', '-'])].slice(0, 40);
  const started = Date.now();
  for (const letter of letters)
    for (const end of ['', '!', '\u0000']) {
      compiled.lastIndex = 0;
      compiled.test(letter.repeat(400) + end);
      if (Date.now() - started > 400) return true;
    }
  return false;
}
