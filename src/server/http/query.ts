import {
  type AuditFilter,
  DECISIONS,
  hasFilter,
  type MessageRange,
  parseQuery,
  SESSION_GROUPS,
  SESSION_SORTS,
  SESSION_STATES,
  type SessionListRequest,
  SPEND_DIMENSIONS,
  type SpendRequest,
} from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import { UserError } from '../../lib/user-error.ts';

/** Throws a `UserError` for what is no number, or too much. */
export function readRange(from: string | undefined, limit: string | undefined): MessageRange {
  return { from: readNumber(from, 'from', 0), limit: readLimit(limit, { fallback: 50, most: 500, of: 'messages' }) };
}

export function readEntryLimit(text: string | undefined): number {
  return readLimit(text, { fallback: 100, most: 1_000, of: 'entries' });
}

function readLimit(
  text: string | undefined,
  { fallback, most, of }: { readonly fallback: number; readonly most: number; readonly of: string },
): number {
  const limit = readNumber(text, 'limit', fallback);
  if (limit < 1 || limit > most) throw badQuery(`limit is ${limit}.`, `Ask for 1 to ${most} ${of}.`);
  return limit;
}

const DEFAULT_BUDGET = 8_000;

/** Tokens that a handover may take. */
export function readBudget(text: string | undefined): number {
  const budget = readNumber(text, 'budget', DEFAULT_BUDGET);
  if (budget < 1) throw badQuery('budget is 0.', 'Ask for 1 token or more.');
  return budget;
}

/** What is given as nothing filters nothing. */
export function readAuditFilter(given: (name: string) => string | undefined): AuditFilter {
  const word = (name: string): string | undefined => given(name) || undefined;
  const decision = DECISIONS.find((one) => one === word('decision'));
  if (word('decision') !== undefined && !decision)
    throw badQuery('decision is none.', `Say one of: ${DECISIONS.join(', ')}.`);
  return known({
    agent: word('agent'),
    type: word('type'),
    decision,
    tool: word('tool'),
    session: word('session'),
    since: readInstant(word('since'), 'since'),
    until: readInstant(word('until'), 'until'),
  });
}

export function readListRequest(given: (name: string) => string | undefined): SessionListRequest {
  const state = given('state') || undefined;
  return {
    query: given('q') ?? '',
    sort: readChoice(given('sort'), 'sort', SESSION_SORTS),
    group: readChoice(given('group'), 'group', SESSION_GROUPS),
    from: readNumber(given('from'), 'from', 0),
    limit: readLimit(given('limit'), { fallback: 100, most: 1_000, of: 'sessions' }),
    ...known({
      host: given('host') || undefined,
      project: given('project'),
      at: given('at') || undefined,
      state: state === undefined ? undefined : readChoice(state, 'state', SESSION_STATES),
    }),
  };
}

/** Longer waiting would look as if nothing happened: what is not indexed by then is said to be missing. */
const SEARCH_PATIENCE_MS = 400;

export function readSearchRequest(given: (name: string) => string | undefined) {
  return {
    text: given('q') ?? '',
    limit: readLimit(given('limit'), { fallback: 10, most: 100, of: 'sessions' }),
    perSession: readLimit(given('hits'), { fallback: 3, most: 50, of: 'messages of each session' }),
    patience: SEARCH_PATIENCE_MS,
  };
}

export type SpendQuery = Omit<SpendRequest, 'now' | 'subscriptions'>;

const LONGEST_FILTER = 500;

export function readSpendRequest(given: (name: string) => string | undefined): SpendQuery {
  const text = given('q') ?? '';
  if (text.length > LONGEST_FILTER) throw badQuery('q is too long.', `Use at most ${LONGEST_FILTER} characters.`);
  const { query, problem } = parseQuery(text);
  if (problem) throw badQuery(problem.message, problem.remedy);
  if (hasFilter(query, 'tool', 'file'))
    throw badQuery('Costs cannot be counted by tool or file.', 'Use host, project, agent, type, model or status.');
  const split = given('split') || undefined;
  return {
    by: readChoice(given('by') || undefined, 'by', SPEND_DIMENSIONS),
    ...known({
      split: split === undefined ? undefined : readChoice(split, 'split', ['model', 'type', 'host']),
      since: readInstant(given('since') || undefined, 'since'),
      until: readInstant(given('until') || undefined, 'until'),
      query: text.trim() === '' ? undefined : query,
    }),
  };
}

export function readFlag(text: string | undefined, name: string): boolean {
  if (text === undefined || text === '0') return false;
  if (text === '1') return true;
  throw badQuery(`${name} is neither 0 nor 1.`, `Say ${name}=1, or leave it out.`);
}

/** The first one where none is named. */
export function readChoice<Choice extends string>(
  text: string | undefined,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  if (text === undefined) return choices[0];
  const choice = choices.find((one) => one === text);
  if (choice === undefined) throw badQuery(`${name} is none that is known.`, `Say one of: ${choices.join(', ')}.`);
  return choice;
}

/** ISO 8601, as everywhere in the answers. */
export function readInstant(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? Date.parse(text) : Number.NaN;
  // The 31st of February would be the 3rd of March.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text.slice(0, 10)))
    throw badQuery(`${name} is not a time.`, `Give ${name} as in 2026-11-15T06:50:16.985Z.`);
  return at;
}

/** Ids are looked up, never used as a path; all the same, what could be one is no id. */
export function isPlainId(id: string): boolean {
  return id !== '' && id.length <= 256 && !/[\u0000-\u001f\u007f/\\]/.test(id) && id !== '.' && id !== '..';
}

function readNumber(text: string | undefined, name: string, fallback: number): number {
  if (text === undefined) return fallback;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw badQuery(`${name} is not a number.`, `Give ${name} as a whole number, 0 or more.`);
}

function badQuery(message: string, remedy: string): UserError {
  return new UserError('bad-query', message, remedy);
}
