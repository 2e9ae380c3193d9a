import { isObject } from '../lib/json.ts';
import { visitViews } from './disguises.ts';
import { type Candidate, type CandidateGroup, groupCandidates } from './finding.ts';
import { createMatcher } from './match-rules.ts';
import { LONGEST } from './rule.ts';
import { AUDIT_RULES } from './rules/all-rules.ts';
import { isSecretField, kindOfSecretName, nameOfFieldIn } from './secret-names.ts';

export interface Masked {
  readonly text: string;
  /** The kind of each secret, in order. */
  readonly found: readonly string[];
}

/** The text with every credential that is known by its look replaced by its kind. Masking twice changes nothing more. */
export function maskText(text: string): Masked {
  return replaceSpans(text, findSecrets(text), text.length);
}

const MAX_STRING = 2_000;
const MAX_TOTAL = 32_000;
const MAX_DEPTH = 40;

/**
 * A JSON value without its secrets, of a size that can be kept: fields by the name of a secret are masked whole, long
 * strings are cut and say how much is gone, and of very many values the first are kept.
 */
export function maskValue(value: unknown, longest = MAX_STRING): unknown {
  return maskBelow(value, { left: MAX_TOTAL, longest }, 0);
}

interface Budget {
  left: number;
  readonly longest: number;
}

function maskBelow(value: unknown, budget: Budget, depth: number): unknown {
  if (typeof value === 'string') {
    const text = maskAndCut(value, Math.min(budget.longest, Math.max(0, budget.left)));
    budget.left -= text.length;
    return text;
  }
  budget.left -= 8;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[deeper levels left out]';
  return Array.isArray(value) ? maskArray(value, budget, depth) : maskObject(value, budget, depth);
}

function maskArray(values: readonly unknown[], budget: Budget, depth: number): readonly unknown[] {
  const kept: unknown[] = [];
  let before: unknown;
  for (const value of values) {
    if (budget.left <= 0) return [...kept, `[${values.length - kept.length} more left out]`];
    kept.push(isOfOption(before, value) ? MASK_FIELD : maskBelow(value, budget, depth + 1));
    before = value;
  }
  return kept;
}

function maskObject(value: object, budget: Budget, depth: number): unknown {
  if (!isObject(value)) return value;
  const fields = Object.entries(value);
  const kept: [string, unknown][] = [];
  for (const [name, field] of fields) {
    if (budget.left <= 0) {
      kept.push(['…', `[${fields.length - kept.length} more left out]`]);
      break;
    }
    const shown = maskAndCut(name, 200);
    budget.left -= shown.length;
    kept.push([
      shown,
      isSecretField(nameOfFieldIn(value, name), field) ? MASK_FIELD : maskBelow(field, budget, depth + 1),
    ]);
  }
  return Object.fromEntries(kept);
}

/** In a list of arguments: what follows `--token`. */
const isOfOption = (option: unknown, value: unknown): boolean =>
  typeof option === 'string' &&
  /^--?[a-z][\w-]{1,60}$/i.test(option) &&
  kindOfSecretName(option.replace(/^-+/, '')) !== 'none' &&
  typeof value === 'string' &&
  !value.startsWith('-');

const MASK_FIELD = '[masked]';

/** Whether a text looks like one that was masked or cut here. One that merely says so counts, too. */
export function isMaskedOrCut(text: string): boolean {
  return /\[masked(?: [\w-]+)?\]|… \[\d+ more characters\]$|^\[\d+ more left out\]$/.test(text);
}

/** A secret that stands across the cut is masked before it is cut. */
function maskAndCut(text: string, length: number): string {
  return replaceSpans(text, findSecrets(text.slice(0, length + LONGEST)), length).text;
}

/** Up to `length` characters of the text; says how many are left out. */
function replaceSpans(text: string, secrets: readonly CandidateGroup[], length: number): Masked {
  const found: string[] = [];
  let result = '';
  let at = 0;
  for (const { start, end, candidates } of secrets) {
    if (start >= length) break;
    const [{ rule }] = candidates;
    result += `${text.slice(at, start)}[masked ${rule}]`;
    found.push(rule);
    at = end;
  }
  // A character of two units is not cut in half.
  const end = Math.max(at, /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length);
  result += text.slice(at, end);
  return { text: end < text.length ? `${result}… [${text.length - end} more characters]` : result, found };
}

/** Made when it is first needed: most commands mask nothing. */
let matcher: ReturnType<typeof createMatcher> | undefined;

function findSecrets(text: string): readonly CandidateGroup[] {
  matcher ??= createMatcher(AUDIT_RULES);
  const match = matcher;
  const candidates: Candidate[] = [];
  visitViews(text, (view) => {
    match(view, ({ id, isGeneral }, start, end) => {
      candidates.push({ start: view.startOf(start), end: view.endOf(end), rule: id, rank: isGeneral ? 0 : 1 });
    });
  });
  return groupCandidates(candidates);
}
