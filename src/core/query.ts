// What people type to find sessions and messages: words and filters. One syntax for `troupe search`, `troupe ls` and the page.

import { groupBy } from '../lib/group.ts';
import { suggestWord } from '../lib/suggest-word.ts';
import { parseWhen, type When } from '../lib/when.ts';
import { hostOf, mainAgentOf, nativeId } from './ids.ts';
import { cleanLine } from './text/clean-text.ts';
import { type AgentNode, type AgentStatus, labelOf, type SessionTree, selectSessionStatus } from './tree.ts';

export const QUERY_FIELDS = [
  'host',
  'project',
  'agent',
  'type',
  'tool',
  'file',
  'model',
  'status',
  'before',
  'after',
] as const;
export type QueryField = (typeof QUERY_FIELDS)[number];
type TimeField = 'before' | 'after';

/** What a message has to hold, or must not: its tokens in a row. */
export interface QueryWord {
  readonly tokens: readonly string[];
  /** The last token may go on. */
  readonly isPrefix: boolean;
  readonly isExcluded: boolean;
}

export type QueryFilter =
  | {
      readonly field: Exclude<QueryField, TimeField>;
      /** As typed. `*` stands for any text. */
      readonly value: string;
      readonly isExcluded: boolean;
    }
  | { readonly field: TimeField; readonly value: string; readonly when: When; readonly isExcluded: boolean };

export interface Query {
  readonly words: readonly QueryWord[];
  readonly filters: readonly QueryFilter[];
}

/** `offset` and `length`: of the part of the text that is wrong. */
export interface QueryProblem {
  readonly message: string;
  readonly remedy: string;
  readonly offset: number;
  readonly length: number;
}

export type ParsedQuery =
  | { readonly query: Query; readonly problem?: never }
  | { readonly query?: never; readonly problem: QueryProblem };

const MAX_QUERY = 2_000;

const STATUSES: readonly AgentStatus[] = [
  'spawning',
  'running',
  'waiting',
  'completed',
  'failed',
  'stopped',
  'unknown',
];

/** A sign in front, a field, and a value: quoted, or up to the next blank. A quote that is never closed ends with the text. */
const TERM = /-?([A-Za-z]+):(?=\s|$)|(-?)(?:([A-Za-z]+):)?(?:"([^"]*)(?:"(\*?)|$)|([^\s"]+))|"/gu;

/** `hosts`: those that exist, so that a slip in `host:` is noticed. */
export function parseQuery(text: string, hosts: readonly string[] = []): ParsedQuery {
  if (text.length > MAX_QUERY)
    return failed(
      `The query has ${text.length.toLocaleString('en')} characters; at most ${MAX_QUERY.toLocaleString('en')} are possible.`,
      'Search for fewer words.',
      MAX_QUERY,
      text.length - MAX_QUERY,
    );
  const words: QueryWord[] = [];
  const filters: QueryFilter[] = [];
  // A NUL would end the query for SQLite.
  for (const match of text.replace(/[\u0000-\u001f\u007f]/g, ' ').matchAll(TERM)) {
    const [whole, bare, sign = '', name, quoted, star = '', plain = bare ?? ''] = match;
    const at = { offset: match.index, length: whole.length };
    const field = fieldOf(name ?? bare, bare === undefined ? plain : '');
    if (field === undefined || typeof field === 'object') {
      if (field) return failed(field.message, field.remedy, at.offset, at.length);
      const isText = quoted === undefined;
      const prefix = name === undefined ? '' : `${name}:`;
      const said = isText ? `${prefix}${plain}` : `${prefix}${quoted}`;
      const word = toWord(said, sign === '-', isText ? plain.endsWith('*') : star === '*');
      if (word) words.push(word);
      continue;
    }
    const value = bare === undefined ? (quoted ?? plain) : '';
    const filter = toFilter(field, value.trim(), sign === '-', hosts);
    if ('message' in filter) return failed(filter.message, filter.remedy, at.offset, at.length);
    filters.push(filter);
  }
  return { query: { words, filters } };
}

/**
 * For a list of sessions, in which words are found by their beginnings: whoever types sees the list get shorter. Tools and files are known of
 * messages only.
 */
export function parseListQuery(text: string, hosts: readonly string[] = []): ParsedQuery {
  const { query, problem } = parseQuery(text, hosts);
  if (!query) return { problem };
  const wrong = query.filters.find(({ field }) => field === 'tool' || field === 'file');
  if (wrong)
    return failed(
      `"${wrong.field}:" finds messages, and this is a list of sessions.`,
      'Search for messages: troupe search, or "Messages" on the page.',
      text.toLowerCase().indexOf(`${wrong.field}:`),
      wrong.field.length + 1,
    );
  const words = query.words.map((word) => (word.isExcluded ? word : { ...word, isPrefix: true }));
  return { query: { words, filters: query.filters } };
}

function failed(message: string, remedy: string, offset: number, length: number): ParsedQuery {
  return { problem: { message, remedy, offset, length } };
}

type Wrong = Pick<QueryProblem, 'message' | 'remedy'>;

/** Undefined if the name is part of the text: an address, a path of Windows, `Error:`. */
function fieldOf(name: string | undefined, value: string): QueryField | Wrong | undefined {
  if (name === undefined) return undefined;
  const lower = name.toLowerCase();
  const field = QUERY_FIELDS.find((one) => one === lower);
  if (field || value.startsWith('/') || value.startsWith('\\') || value.startsWith(':')) return field;
  const meant = suggestWord(lower, QUERY_FIELDS);
  if (meant === undefined || lower.length < 3) return undefined;
  const message = `There is no filter "${name}:"; did you mean "${meant}:"?`;
  return {
    message,
    remedy: `To search for the text, put it in quotes: "${name}:…". Filters: ${QUERY_FIELDS.join(', ')}`,
  };
}

function toFilter(
  field: QueryField,
  value: string,
  isExcluded: boolean,
  hosts: readonly string[],
): QueryFilter | Wrong {
  if (value === '') return { message: `"${field}:" needs a value.`, remedy: `For example: ${EXAMPLES[field]}` };
  if (field === 'before' || field === 'after') {
    const when = parseWhen(value);
    const remedy = 'Give a time such as 2h, 3d, today, 14:30, 2026-11-15 or 2026-11-15T06:50:16Z';
    return when
      ? { field, value, when, isExcluded }
      : { message: `"${field}:${cleanLine(value)}" is not a time.`, remedy };
  }
  const known = field === 'status' ? STATUSES : field === 'host' ? hosts : [];
  const matches = matcherOf(field, value);
  if (known.length > 0 && !known.some(matches)) {
    const meant = suggestWord(value, known);
    const guess = meant === undefined ? '.' : `; did you mean "${meant}"?`;
    return { message: `There is no ${field} "${cleanLine(value)}"${guess}`, remedy: `Known: ${known.join(', ')}` };
  }
  return { field, value, isExcluded };
}

const EXAMPLES: Readonly<Record<QueryField, string>> = {
  host: 'host:NAME (troupe --help lists them)',
  project: 'project:my-app',
  agent: 'agent:reviewer',
  type: 'type:Explore',
  tool: 'tool:Bash',
  file: 'file:src/main.ts',
  model: 'model:opus',
  status: 'status:failed',
  before: 'before:2026-11-15',
  after: 'after:3d',
};

function toWord(text: string, isExcluded: boolean, isPrefix: boolean): QueryWord | undefined {
  const tokens = tokensOf(text);
  return tokens.length === 0 ? undefined : { tokens, isPrefix, isExcluded };
}

/** Scripts that put no blanks between words: each character is a token. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const TOKENS = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+`, 'gu');
const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const EACH_UNSPACED = new RegExp(`[${UNSPACED}]`, 'gu');

/** Letters and digits in a row, without case and accents. */
export function tokensOf(text: string): readonly string[] {
  return foldCase(text).match(TOKENS) ?? [];
}

const WORDS_IN_TEXT = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\u0300-\\u036f])+`, 'gu');

/** A place in a text where a word of a query is. `word`: its number. */
export interface WordPlace {
  readonly word: number;
  readonly from: number;
  readonly to: number;
}

/** Where the words of a query are in a text, in order; excluded ones are not looked for. */
export function findWords(text: string, words: readonly QueryWord[]): readonly WordPlace[] {
  const found = Array.from(text.matchAll(WORDS_IN_TEXT), ({ 0: part, index: from }) => ({
    from,
    to: from + part.length,
    tokens: tokensOf(part),
  }));
  const tokens = found.flatMap((one) => one.tokens.map((token) => ({ token, from: one.from, to: one.to })));
  const places = words.flatMap((word, number): readonly WordPlace[] => {
    if (word.isExcluded) return [];
    const list = tokens.map(({ token }) => token);
    return tokens.flatMap(({ from }, start) =>
      isAt(word, list, start) ? [{ word: number, from, to: tokens[start + word.tokens.length - 1]?.to ?? from }] : [],
    );
  });
  return places.sort((a, b) => a.from - b.from || b.to - a.to);
}

/** A text whose tokens are separated by more than letters: what an index that knows letters only is given. */
export function spaceOut(text: string): string {
  return IS_UNSPACED.test(text) ? text.replace(EACH_UNSPACED, ' $& ') : text;
}

function foldCase(text: string): string {
  const plain = text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
  return plain.toLowerCase().replaceAll('ς', 'σ');
}

/** What a query is held against. What is left out is not known, and matches no filter. */
export interface QuerySubject {
  readonly host: string;
  readonly hostTitle?: string;
  /** Folders that it worked in. */
  readonly folders: readonly string[];
  readonly title?: string;
  /** Ids, branches: what else people look for. */
  readonly marks?: readonly string[];
  readonly status: AgentStatus;
  readonly startedAt?: number;
  readonly lastActivityAt?: number;
  readonly agents: readonly QueryAgent[];
}

export interface QueryAgent {
  readonly id: string;
  readonly names: readonly string[];
  readonly type?: string;
  readonly status: AgentStatus;
  readonly models: readonly string[];
  readonly tools?: readonly string[];
  readonly files?: readonly string[];
}

/** Of a tree; `toolsOf` and `filesOf` say what an agent used, if a query asks for it. */
export function subjectOf(
  tree: SessionTree,
  used: (agent: AgentNode) => Pick<QueryAgent, 'tools' | 'files'> = () => ({}),
): QuerySubject {
  const { id, hostTitle, title, cwd, branch, startedAt, lastActivityAt, agents } = tree;
  const status = selectSessionStatus(tree);
  const main = mainAgentOf(id);
  return {
    host: hostOf(id),
    ...(hostTitle !== undefined && { hostTitle }),
    ...(title !== undefined && { title }),
    folders: [...new Set([cwd, ...agents.map((agent) => agent.cwd)].filter((one) => one !== undefined))],
    marks: [nativeId(id), ...(branch === undefined ? [] : [branch])],
    status,
    ...(startedAt !== undefined && { startedAt }),
    ...(lastActivityAt !== undefined && { lastActivityAt }),
    agents: agents.map((agent) => ({
      id: nativeId(agent.id),
      names: [...new Set([agent.name, agent.description, labelOf(agent)].filter((one) => one !== undefined))],
      ...(agent.type !== undefined && { type: agent.type }),
      status: agent.id === main ? status : agent.status,
      models: [
        ...new Set([agent.model, ...agent.usageByModel.map(({ model }) => model)].filter((one) => one !== undefined)),
      ],
      ...used(agent),
    })),
  };
}

export function hasFilter({ filters }: Query, ...fields: readonly QueryField[]): boolean {
  return filters.some(({ field }) => fields.includes(field));
}

/**
 * Whether a list of sessions keeps this one. Its words are looked for in its title, its host, folders, id and branch, and the ids, names,
 * types and models of its agents. One and the same agent has to match all filters for agents; `status` is that of the session, unless an agent or a type is asked for.
 */
export function matchesSession(query: Query, subject: QuerySubject, now: number): boolean {
  const ofAgents = hasFilter(query, 'agent', 'type');
  const isOwn = ({ field }: QueryFilter): boolean => !OF_AGENTS.has(field) && !(field === 'status' && ofAgents);
  const [own, others] = [query.filters.filter(isOwn), query.filters.filter((filter) => !isOwn(filter))];
  const { startedAt, lastActivityAt } = subject;
  const values: Values = (field) => (field === 'status' ? [subject.status] : valuesOfSession(subject, field));
  if (!passes(own, values, { from: startedAt, to: lastActivityAt }, now)) return false;
  if (
    others.length > 0 &&
    !subject.agents.some((agent) => passes(others, (field) => valuesOfAgent(agent, field), {}, now))
  )
    return false;
  const { title = '', host, hostTitle = '', folders, marks = [], agents } = subject;
  const named = agents.flatMap(({ id, names, type = '', models }) => [id, ...names, type, ...models]);
  const texts = [title, host, hostTitle, ...folders, ...marks, ...named];
  return query.words.length === 0 || matchesWords(query.words, texts);
}

/** Whether something that an agent did at a time passes the filters; `agent` names the tools and files of that alone. */
export function matchesAgent(
  { filters }: Query,
  subject: QuerySubject,
  agent: QueryAgent,
  { at, now }: { readonly at?: number; readonly now: number },
): boolean {
  const values: Values = (field) => valuesOfSession(subject, field) ?? valuesOfAgent(agent, field);
  return passes(filters, values, { from: at, to: at }, now);
}

const OF_AGENTS: ReadonlySet<QueryField> = new Set(['agent', 'type', 'tool', 'file', 'model']);

type Values = (field: QueryField) => readonly string[] | undefined;

function valuesOfSession({ host, hostTitle, folders }: QuerySubject, field: QueryField): readonly string[] | undefined {
  if (field === 'host') return hostTitle === undefined ? [host] : [host, hostTitle];
  return field === 'project' ? folders : undefined;
}

function valuesOfAgent(agent: QueryAgent, field: QueryField): readonly string[] | undefined {
  switch (field) {
    case 'agent':
      return [...agent.names, agent.id];
    case 'type':
      return agent.type === undefined ? [] : [agent.type];
    case 'status':
      return [agent.status];
    case 'model':
      return agent.models;
    case 'tool':
      return agent.tools;
    case 'file':
      return agent.files;
    default:
      return undefined;
  }
}

/** Filters of one field widen, those of different fields narrow; an excluded value always narrows. */
function passes(
  filters: readonly QueryFilter[],
  values: Values,
  span: { readonly from?: number | undefined; readonly to?: number | undefined },
  now: number,
): boolean {
  const holds = (filter: QueryFilter): boolean => {
    if (filter.field === 'before') return span.from !== undefined && span.from < filter.when(now).from;
    if (filter.field === 'after') return span.to !== undefined && span.to >= filter.when(now).from;
    return (values(filter.field) ?? []).some(matcherOf(filter.field, filter.value));
  };
  if (filters.some((filter) => filter.isExcluded && holds(filter))) return false;
  const wanted = groupBy(
    filters.filter(({ isExcluded }) => !isExcluded),
    ({ field }) => field,
  );
  return [...wanted].every(([field, list]) => (TIMES.has(field) ? list.every(holds) : list.some(holds)));
}

const TIMES: ReadonlySet<QueryField> = new Set(['before', 'after']);

/** Without case. With `*` the whole value has to match; without, what people mean by the field. */
export function matcherOf(field: QueryField, wanted: string): (value: string) => boolean {
  const plain = wanted.toLowerCase();
  if (plain.includes('*')) {
    const pattern = plain.split(/\*+/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
    const whole = new RegExp(`^${pattern.join('[^]*')}$`, 'u');
    if (field !== 'project' && field !== 'file') return (value) => whole.test(value.toLowerCase());
    return (value) => endsOf(value.toLowerCase()).some((end) => whole.test(end));
  }
  switch (field) {
    case 'host':
      return (value) => value.toLowerCase().startsWith(plain);
    case 'type':
    case 'tool':
    case 'status':
      return (value) => value.toLowerCase() === plain;
    case 'project':
    case 'file':
      return (value) => isPartOfPath(value.toLowerCase(), plain);
    default:
      return (value) => value.toLowerCase().includes(plain);
  }
}

/** The path itself, and what follows each of its separators. */
function endsOf(path: string): readonly string[] {
  return [path, ...Array.from(path.matchAll(/[/\\]/g), ({ index }) => path.slice(index + 1))];
}

/** From the beginning of a name on: `main` is in `src/main.ts`, and `ain.ts` is not. */
function isPartOfPath(path: string, part: string): boolean {
  const isEdge = (unit: string | undefined): boolean => unit === undefined || unit === '/' || unit === '\\';
  for (let at = path.indexOf(part); at !== -1; at = path.indexOf(part, at + 1))
    if (isEdge(path[at - 1]) || isEdge(part[0])) return true;
  return false;
}

/** Each word in some text, none of those that are excluded. */
export function matchesWords(words: readonly QueryWord[], texts: readonly string[]): boolean {
  const tokenized = texts.map(tokensOf);
  return words.every((word) => tokenized.some((tokens) => isIn(word, tokens)) !== word.isExcluded);
}

function isIn(word: QueryWord, tokens: readonly string[]): boolean {
  return tokens.some((_, start) => isAt(word, tokens, start));
}

function isAt({ tokens: wanted, isPrefix }: QueryWord, tokens: readonly string[], start: number): boolean {
  return wanted.every((token, index) => {
    const found = tokens[start + index];
    return found === token || (isPrefix && index === wanted.length - 1 && found?.startsWith(token) === true);
  });
}
