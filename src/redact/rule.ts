import { isStandIn } from './value-looks.ts';

/**
 * One kind of credential as data: how it looks, where to begin to look, and examples by which the rule is held. Examples are
 * written with holes (`ghp_{an:36}`, see testing/fill-sample.ts), so that nobody who scans this repository finds a credential.
 */
export interface SecretRule {
  /** Stands in the placeholder and in reports: `[redacted:github-token#1]`. */
  readonly id: string;
  readonly group: RuleGroup;
  /** What it is, in words; for docs/REDACTION.md. */
  readonly what: string;
  /** By what it is known; for the sentence that says why something was redacted. */
  readonly basis: 'shape' | 'name' | 'place' | 'sentence' | 'private key' | 'pattern';
  /** Who published the shape; `not recorded` if that was not noted when the rule was written. */
  readonly source: string;
  /** Day on which the source was noted: YYYY-MM-DD. */
  readonly date: string | null;
  /** The check sum that its vendor puts into it. Only that of cards is required: a mistyped token is redacted, too. */
  readonly checksum?: string;
  /** How it begins, as its vendor writes it, if it has a beginning of its own. */
  readonly prefixes?: readonly string[];
  /** In lower case. A text without any of them holds no such secret. */
  readonly keywords: readonly string[];
  /** Looked for at the words of 16 letters and digits or more that have a digit; its beginning is too short for a keyword. */
  readonly isLong?: boolean;
  /** Sticky where a match begins at its keyword, else global. The last group that took part is the secret; without groups, all. */
  readonly pattern: RegExp;
  /** How far before its keyword a match may begin. */
  readonly before: number;
  /** How far behind the beginning of its keyword a match may reach. */
  readonly reach: number;
  /** Bits a character: words have fewer. */
  readonly minEntropy?: number;
  /** What has to stand in the 60 characters before the keyword; a quick look that spares a search. */
  readonly near?: RegExp;
  /** Reads from a keyword on, where a pattern cannot; returns up to where it need not look again. */
  readonly read?: (text: string, hit: number, onSecret: (start: number, end: number) => void) => number;
  readonly accepts?: (secret: string, match: RegExpExecArray) => boolean;
  /** The secret as it is everywhere, where it may be written in several ways. */
  readonly canonical?: (secret: string) => string;
  /** Found by what stands around it, not by its own look: another rule that finds the same names it better. */
  readonly isGeneral?: boolean;
  /** So distinct that it is looked for across the ends of lines, too. */
  readonly isWrapped?: boolean;
  readonly samples: readonly string[];
  readonly misses: readonly string[];
}

export type RuleGroup =
  | 'cloud'
  | 'code hosts'
  | 'model vendors'
  | 'chat'
  | 'payment'
  | 'package registries'
  | 'keys'
  | 'connections'
  | 'monitoring and delivery'
  | 'services'
  | 'by name and place'
  | 'personal';

type Described = Pick<
  SecretRule,
  'id' | 'what' | 'source' | 'date' | 'checksum' | 'samples' | 'misses' | 'minEntropy' | 'accepts'
>;

interface TokenShape extends Described {
  /** Beginnings that their maker gave them, as they are written. */
  readonly starts: readonly string[];
  /** Of a regular expression, bounded. */
  readonly body: string;
  /** Letters and digits may stand right before it: the beginning is seen nowhere else. */
  readonly glued?: boolean;
}

/** A token with a beginning of its own. What goes on in words is a name: of a project, file or branch. */
export function token(group: RuleGroup, { starts, body, glued = false, accepts, ...rest }: TokenShape): SecretRule {
  const beginnings = starts.map(quote).join('|');
  return {
    basis: 'shape',
    ...rest,
    accepts: (secret, match) => {
      const rest = secret.slice(starts.find((start) => secret.startsWith(start))?.length ?? 0);
      return !isMadeOfWords(rest) && !isStandIn(rest) && !isStandIn(secret) && accepts?.(secret, match) !== false;
    },
    group,
    prefixes: starts,
    keywords: starts.map((start) => start.toLowerCase()),
    pattern: new RegExp(`${glued ? '' : '(?<![A-Za-z0-9])'}(?:${beginnings})${body}`, 'dy'),
    before: 0,
    reach: LONGEST,
    isWrapped: true,
  };
}

/** A word, also in capitals or with a small number behind it; a number; a day; a version. */
const WORD = /^(?:[A-Za-z]?[a-z]{1,13}\d{0,3}|[A-Z]{2,10}|[a-zA-Z]?\d{1,4}|20\d{6})$/;
const UNPRONOUNCED = /^[^aeiouy]+$|[bcdfghjklmnpqrstvwxz]{5}/i;
/** `CustomerPortalV2Tests`: at least two letters behind each capital, and numbers at the end or in versions only. */
const CAMEL = /^(?:[a-z]{2,13})?(?:[A-Z][a-z]{2,13}|V\d{1,2}(?!\d)){2,12}\d{0,3}$/;
/** Without a mark between words. So short a token without digits may look like words. */
const SHORTEST_CAMEL = 20;

/**
 * `customer-portal_v2`, `CustomerPortalTests2`: three words or more and nothing else. Tokens that are drawn at random hardly ever are:
 * letters and digits alternate in them, and capitals stand together or alone.
 */
export function isMadeOfWords(text: string): boolean {
  const parts = text.split(/[-_./=+]+/).filter((part) => part !== '');
  if (parts.length === 1 && text.length < SHORTEST_CAMEL) return false;
  const words = parts.flatMap((part) => (CAMEL.test(part) ? part.split(/(?=[A-Z])/) : [part]));
  const long = words.filter((word) => /[A-Za-z]{4}/.test(word));
  return (
    words.length >= 3 &&
    long.length > 0 &&
    words.every((word) => WORD.test(word)) &&
    !long.some((word) => UNPRONOUNCED.test(word.replace(/\d+$/, '')))
  );
}

interface ShapedShape
  extends Described,
    Pick<SecretRule, 'keywords' | 'isWrapped' | 'canonical' | 'near' | 'isLong'>,
    Partial<Pick<SecretRule, 'before' | 'reach' | 'basis'>> {
  readonly pattern: string;
  readonly flags?: string;
}

/** Anything else that is known by its look; the keyword may stand within it. */
export function shaped(group: RuleGroup, { pattern, flags = '', before = 0, ...rest }: ShapedShape): SecretRule {
  const isSticky = before === 0 && rest.isLong !== true;
  return {
    reach: LONGEST,
    basis: group === 'connections' || group === 'by name and place' ? 'place' : 'shape',
    ...rest,
    group,
    before,
    pattern: new RegExp(pattern, `d${isSticky ? 'y' : 'g'}${flags}`),
  };
}

/** A shape that is known by its surroundings, not by its own look. */
export function placed(group: RuleGroup, shape: ShapedShape): SecretRule {
  return { ...shaped(group, shape), isGeneral: true };
}

interface AssignedShape extends Described {
  /** Words of the vendor, in lower case, one of which the name begins with or holds. */
  readonly vendor: readonly string[];
  readonly value: string;
}

/** What has no look of its own, as the value of something that its vendor is named in: `DATADOG_API_KEY=…`. */
export function assigned(group: RuleGroup, { vendor, value, ...rest }: AssignedShape): SecretRule {
  return {
    minEntropy: 2.5,
    basis: 'name',
    ...rest,
    group,
    keywords: vendor,
    pattern: new RegExp(
      `(?:${vendor.map(quote).join('|')})[\\w .\\[\\]-]{0,40}\\\\{0,3}["'\`]?\\]?\\s{0,4}(?:=>|:=|[:=,]|\\bis\\b)\\s{0,4}\\\\{0,3}["'\`]?(?:(?:bearer|token|basic)\\s{1,2})?(${value})(?![\\w+/=-])`,
      'dyi',
    ),
    before: 0,
    reach: 400,
  };
}

/** Longer than any secret: a private key of 8,192 bits with its lines. */
export const LONGEST = 16_500;

export const quote = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

export function hasDigitAndLetter(secret: string): boolean {
  return /\d/.test(secret) && /[A-Za-z]/.test(secret);
}
