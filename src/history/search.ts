// Full text over every conversation: brings the index up to date, asks it, and shows what was found from the hosts' own files.

import {
  type AgentId,
  hostOf,
  isoTime,
  type MessageHit,
  matchesAgent,
  nativeId,
  parseQuery,
  projectOf,
  type Query,
  type QueryAgent,
  type QuerySubject,
  type SearchReport,
  type SessionHits,
  type SessionId,
  type SourceId,
  type TextIndexReport,
} from '../core/index.ts';
import { groupBy } from '../lib/group.ts';
import { kindOf, UnreadableDatabase } from '../lib/sqlite-driver.ts';
import { codeOf, messageOf } from '../lib/user-error.ts';
import {
  claim,
  dataFoldersFor,
  type FoundSession,
  findSessions,
  type OpenCache,
  openAnew,
  ReadSessions,
  type SessionCache,
  type SessionScope,
  sourcesOf,
} from '../sessions/index.ts';
import { databaseBytes, removeDatabase } from './own-database.ts';
import { snippetOf } from './snippet.ts';
import { isUpToDate, textStamp, updateSessionText } from './text-builder.ts';
import { forgetConsent, readConsent, type TextConsent, writeConsent } from './text-consent.ts';
import { type FoundMessage, type PartHits, TextRows, textFile } from './text-rows.ts';

export interface SearchOptions {
  /** The state folder. */
  readonly folder: string;
  readonly clock: () => number;
  /** What was read of sessions before. */
  readonly openCache: OpenCache;
  /** Hides secrets in a text. */
  readonly createRedact: () => Promise<(text: string) => string>;
}

export interface SearchRequest {
  readonly where: SessionScope;
  readonly text: string;
  /** Sessions, and messages of each. */
  readonly limit: number;
  readonly perSession: number;
  /** How long to wait for what is not indexed yet, in milliseconds. */
  readonly patience: number;
  readonly isRedacted: boolean;
  /** Sessions that may be in the answer; left out: all. */
  readonly isVisible?: (session: SessionId) => boolean;
}

export type OnIndexed = (progress: { readonly done: number; readonly sessions: number }) => void;

export interface SearchControl {
  search(request: SearchRequest, onIndexed?: OnIndexed): Promise<SearchReport>;
  status(where: SessionScope): Promise<TextIndexReport>;
  /** Only after the person agreed. Undefined: what was excluded before. */
  allow(exclude?: readonly string[]): Promise<void>;
  /** Removes the text index, and keeps none. */
  forbid(): Promise<void>;
  /** Removes the text index; the person is asked again. */
  drop(): Promise<void>;
  /** Reads every conversation that is not indexed yet. Does nothing unless the person agreed. */
  build(where: SessionScope, onIndexed?: OnIndexed): Promise<void>;
  /** Forgets sessions that are no longer there. */
  removeGone(where: SessionScope): Promise<void>;
  /** Stops what goes on in the background; what was read so far is kept. */
  close(): Promise<void>;
}

export function createSearch(options: SearchOptions): SearchControl {
  return new Search(options);
}

/** Which sessions there are, and which of them the index does not know as they are: newest first. */
interface Look {
  readonly sessions: readonly FoundSession[];
  readonly missing: readonly FoundSession[];
}

class Search implements SearchControl {
  readonly #options: SearchOptions;
  #rows: TextRows | undefined;
  #updating: { readonly scope: string; readonly ended: Promise<void> } | undefined;
  /** Why the last update stopped. */
  #trouble: string | null = null;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<OnIndexed>();

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  async search(request: SearchRequest, onIndexed?: OnIndexed): Promise<SearchReport> {
    const { text, where } = request;
    const hosts = [...new Set(dataFoldersFor({ roots: [] }).map(({ adapter }) => adapter.host))];
    const { query, problem } = parseQuery(text, hosts);
    const consent = await readConsent(this.#options.folder);
    const none = { query: text, hits: 0, matchingSessions: 0, sessions: [], isRedacted: request.isRedacted };
    const unread = { indexedSessions: 0, sessions: 0, isComplete: false, problem: null };
    if (!query) return { ...none, problem, index: { state: consent.state, ...unread } };
    if (consent.state !== 'on') return { ...none, problem: null, index: { state: consent.state, ...unread } };
    if (query.words.length === 0 && query.filters.length === 0) {
      const said = { message: 'There is nothing to search for.', remedy: 'Give one word or more, or a filter.' };
      return { ...none, problem: { ...said, offset: 0, length: text.length }, index: { state: 'on', ...unread } };
    }
    try {
      const look = await this.#lookAround(where);
      await this.#update(look, where, consent, request.patience, onIndexed);
      return await this.#answer(request, query, consent, look);
    } catch (error) {
      // The next search makes a new one.
      if (kindOf(error) === 'damaged') this.#remove();
      const message = `The text index cannot be used: ${messageOf(error)}`;
      const remedy = 'See: troupe index status';
      return {
        ...none,
        problem: { message, remedy, offset: 0, length: 0 },
        index: { state: 'unusable', ...unread },
      };
    }
  }

  async status(where: SessionScope): Promise<TextIndexReport> {
    const { folder } = this.#options;
    const { state, exclude } = await readConsent(folder);
    const file = textFile(folder);
    const empty = { file, excludedProjects: exclude, bytes: databaseBytes(file), messages: 0, indexedSessions: 0 };
    if (!TextRows.isThere(folder) && state !== 'on') return { ...empty, state, problem: null, sessions: 0 };
    try {
      const { sessions, missing } = await this.#lookAround(where);
      const messages = (await this.#open()).countMessages();
      const indexedSessions = sessions.length - missing.length;
      return { ...empty, state, problem: null, messages, indexedSessions, sessions: sessions.length };
    } catch (error) {
      return { ...empty, state: 'unusable', problem: messageOf(error), sessions: 0 };
    }
  }

  async allow(exclude?: readonly string[]): Promise<void> {
    const { folder, clock } = this.#options;
    await writeConsent(folder, true, exclude ?? (await readConsent(folder)).exclude, clock());
    await this.#removeExcluded();
  }

  async forbid(): Promise<void> {
    const { folder, clock } = this.#options;
    await writeConsent(folder, false, (await readConsent(folder)).exclude, clock());
    this.#remove();
  }

  async drop(): Promise<void> {
    await forgetConsent(this.#options.folder);
    this.#remove();
  }

  async build(where: SessionScope, onIndexed?: OnIndexed): Promise<void> {
    const consent = await readConsent(this.#options.folder);
    if (consent.state !== 'on') return;
    await this.#update(await this.#lookAround(where), where, consent, Number.POSITIVE_INFINITY, onIndexed);
  }

  async removeGone(where: SessionScope): Promise<void> {
    if (!TextRows.isThere(this.#options.folder)) return;
    const { sessions } = await findSessions(dataFoldersFor(where));
    removeGone(await this.#open(), sessions, where);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#updating?.ended.catch(() => {});
    this.#rows?.close();
    this.#rows = undefined;
  }

  #remove(): void {
    this.#rows?.close();
    this.#rows = undefined;
    removeDatabase(textFile(this.#options.folder));
  }

  async #open(): Promise<TextRows> {
    this.#rows ??= await TextRows.open(this.#options.folder);
    return this.#rows;
  }

  async #removeExcluded(): Promise<void> {
    const { folder } = this.#options;
    if (!TextRows.isThere(folder)) return;
    const { exclude } = await readConsent(folder);
    const rows = await this.#open();
    for (const { key, subject } of rows.subjects())
      if (isExcluded(subject, exclude)) rows.inOneStep(() => rows.removeSession(key));
    // Those that were left out before are read now.
    rows.inOneStep(() => rows.removeEmpty());
  }

  async #lookAround(where: SessionScope): Promise<Look> {
    const { sessions } = await findSessions(dataFoldersFor(where));
    return { sessions, missing: await this.#missingOf(sessions) };
  }

  async #missingOf(sessions: readonly FoundSession[]): Promise<readonly FoundSession[]> {
    const { clock } = this.#options;
    const known = new Map((await this.#open()).sessions().map(({ id, root, stamp }) => [`${id}\n${root}`, stamp]));
    return sessions.filter((session) => !isUpToDate(known.get(keyOf(session)), textStamp(session, clock())));
  }

  /** Returns when everything is indexed, or patience ends; then the rest goes on in the background. */
  async #update(
    look: Look,
    where: SessionScope,
    consent: TextConsent,
    patience: number,
    onIndexed: OnIndexed = () => {},
  ): Promise<void> {
    const scope = JSON.stringify(where);
    const before = this.#updating;
    if (!before || before.scope !== scope) {
      const ended = (before?.ended ?? Promise.resolve())
        // What is in the index can be searched even if nothing can be added to it.
        .then(() => this.#updateAll(look, where, consent))
        .catch((error: unknown) => {
          if (kindOf(error) === 'damaged') throw error;
          this.#trouble = messageOf(error);
        })
        .finally(() => {
          if (this.#updating?.ended === ended) this.#updating = undefined;
        });
      this.#updating = { scope, ended };
    }
    const { ended } = this.#updating ?? {};
    this.#listeners.add(onIndexed);
    let timer: NodeJS.Timeout | undefined;
    const tired = new Promise<void>((resolve) => {
      if (Number.isFinite(patience)) timer = setTimeout(resolve, patience);
    });
    await Promise.race([ended, tired]).finally(() => {
      clearTimeout(timer);
      this.#listeners.delete(onIndexed);
    });
    // Nobody may be there to hear of it.
    ended?.catch(() => {});
  }

  async #updateAll({ sessions, missing }: Look, where: SessionScope, { exclude }: TextConsent): Promise<void> {
    this.#trouble = null;
    const rows = await this.#open();
    removeGone(rows, sessions, where);
    if (missing.length === 0) return;
    const cache = await this.#options.openCache();
    let done = 0;
    for (const found of missing) {
      if (this.#stop.signal.aborted) return;
      try {
        await this.#updateOne(found, sessions, exclude, cache);
      } catch (error) {
        // One session that cannot be read does not keep the others from being found.
        if (isOfOurDatabase(error)) throw error;
        this.#trouble = `${nativeId(found.located.id)}: ${messageOf(error)}`;
      }
      done++;
      for (const listener of this.#listeners) listener({ done, sessions: missing.length });
    }
  }

  async #updateOne(
    found: FoundSession,
    sessions: readonly FoundSession[],
    exclude: readonly string[],
    cache: SessionCache | undefined,
  ): Promise<void> {
    const { clock } = this.#options;
    const rows = await this.#open();
    const ours = await claim(found, new Set());
    // Its own read of sessions, so that the trees of all of them are not held at once.
    const read = new ReadSessions(sessions, clock, { withoutFacts: true, cache });
    if (ours) await read.add([ours]);
    const tree = ours && read.trees().get(ours.located.id);
    const isLeftOut = !tree || isExcluded({ folders: tree.cwd === undefined ? [] : [tree.cwd] }, exclude);
    if (!ours || isLeftOut) return keepEmpty(rows, found, clock());
    await updateSessionText(ours, tree, { rows, clock, signal: this.#stop.signal });
  }

  async #answer(
    request: SearchRequest,
    query: Query,
    { exclude }: TextConsent,
    { sessions: all, missing: before }: Look,
  ): Promise<SearchReport> {
    const { clock, createRedact } = this.#options;
    const rows = await this.#open();
    const missing = before.length === 0 ? before : await this.#missingOf(all);
    const byKey = new Map(all.map((session) => [keyOf(session), session]));
    const subjects = new Map(rows.subjects().map((row) => [row.key, row]));
    const now = clock();
    const isWanted = createAgentFilter(query, now);
    const matching: (PartHits & { readonly agentOf: QueryAgent | undefined })[] = [];
    for (const one of rows.count(query, now)) {
      const row = subjects.get(one.session);
      if (!row || !byKey.has(`${row.id}\n${row.root}`) || isExcluded(row.subject, exclude)) continue;
      if (request.isVisible?.(row.id as SessionId) === false) continue;
      const agentOf = row.subject.agents.find(({ id }) => id === nativeId(one.agent as AgentId));
      if (isWanted(row.subject, agentOf)) matching.push({ ...one, agentOf });
    }
    const bySession = [...groupBy(matching, ({ session }) => session)].map(([session, parts]) => {
      const row = subjects.get(session);
      const found = row && byKey.get(`${row.id}\n${row.root}`);
      return { session, parts, subject: row?.subject, found, at: row?.subject.lastActivityAt ?? 0 };
    });
    bySession.sort((a, b) => b.at - a.at);
    const shown = bySession.slice(0, request.limit);
    const redact = request.isRedacted ? await createRedact() : undefined;
    const clean = (text: string | undefined): string | null => (text === undefined ? null : (redact?.(text) ?? text));
    const sessions: SessionHits[] = [];
    for (const { parts, subject, found } of shown) {
      if (!found || !subject) continue;
      const { id, adapter } = { id: found.located.id, adapter: found.adapter };
      const keys = parts.map(({ part }) => part);
      const best = rows.find(query, now, keys, request.perSession);
      const messages: MessageHit[] = [];
      for (const hit of best) {
        const part = parts.find((one) => one.part === hit.part);
        if (part) messages.push(await showHit(found, part, hit, query, redact));
      }
      sessions.push({
        id: nativeId(id),
        host: hostOf(id),
        hostTitle: subject.hostTitle ?? adapter.title,
        root: found.located.root,
        project: clean(projectOf(subject.folders[0]) ?? undefined),
        title: clean(subject.title),
        status: subject.status,
        lastActivityAt: isoTime(subject.lastActivityAt),
        hits: parts.reduce((sum, { hits }) => sum + hits, 0),
        messages: messages.map((one) => ({ ...one, agentLabel: clean(one.agentLabel ?? undefined) })),
      });
    }
    return {
      query: request.text,
      problem: null,
      index: {
        state: 'on',
        indexedSessions: all.length - missing.length,
        sessions: all.length,
        isComplete: missing.length === 0,
        problem: this.#trouble,
      },
      hits: matching.reduce((sum, { hits }) => sum + hits, 0),
      matchingSessions: bySession.length,
      sessions,
      isRedacted: request.isRedacted,
    };
  }
}

function keyOf({ located }: FoundSession): string {
  return `${located.id}\n${located.root}`;
}

function isExcluded({ folders }: Pick<QuerySubject, 'folders'>, exclude: readonly string[]): boolean {
  if (exclude.length === 0) return false;
  const values = exclude.map((value) => ({ field: 'project', value, isExcluded: false }) as const);
  const subject = { host: '', folders, status: 'unknown', agents: [] } as const;
  const agent = { id: '', names: [], status: 'unknown', models: [] } as const;
  return matchesAgent({ words: [], filters: values }, subject, agent, { now: 0 });
}

/** Without filters that are about messages: the index has applied those. */
function createAgentFilter({ filters }: Query, now: number) {
  const ofAgents = { words: [], filters: filters.filter(({ field }) => !OF_MESSAGES.has(field)) };
  if (ofAgents.filters.length === 0) return () => true;
  return (subject: QuerySubject, agent: QueryAgent | undefined): boolean =>
    matchesAgent(ofAgents, subject, agent ?? { id: '', names: [], status: 'unknown', models: [] }, { now });
}

const OF_MESSAGES: ReadonlySet<string> = new Set(['tool', 'file', 'before', 'after']);

/** One without a conversation, or of a project that is left out: nothing of it is kept but that it was looked at. */
function keepEmpty(rows: TextRows, found: FoundSession, now: number): void {
  const { id, root } = found.located;
  const { stamp } = textStamp(found, now);
  const subject: QuerySubject = { host: hostOf(id), folders: [], status: 'unknown', agents: [] };
  rows.inOneStep(() => {
    const session = rows.putSession(id, root, stamp, subject);
    for (const { key } of rows.parts(session)) rows.removePart(key);
  });
}

/** Sessions whose files went, of the places that were looked at. */
function removeGone(rows: TextRows, sessions: readonly FoundSession[], where: SessionScope): void {
  const there = new Set(sessions.map(keyOf));
  const places = new Set(dataFoldersFor(where).map(({ adapter, root }) => `${adapter.host} ${root}`));
  for (const { key, id, root } of rows.sessions())
    if (!there.has(`${id}\n${root}`) && places.has(`${hostOf(id as SessionId)} ${root}`))
      rows.inOneStep(() => rows.removeSession(key));
}

/** Not one that a host keeps, which has an error of its own. */
function isOfOurDatabase(error: unknown): boolean {
  if (error instanceof UnreadableDatabase) return false;
  return kindOf(error) !== 'other' || /SQLITE/.test(String(codeOf(error)));
}

async function showHit(
  found: FoundSession,
  part: PartHits & { readonly agentOf: QueryAgent | undefined },
  hit: FoundMessage,
  query: Query,
  redact: ((text: string) => string) | undefined,
): Promise<MessageHit> {
  const { agent, agentOf } = part;
  // A file that is gone by now is no reason to show nothing at all.
  const message = await readHit(found, part, hit).catch(() => undefined);
  const snippet = message && snippetOf(message, query.words, redact);
  return {
    agentId: nativeId(agent as AgentId),
    agentLabel: agentOf?.names[0] ?? null,
    agentType: agentOf?.type ?? null,
    messageId: hit.id,
    index: hit.pos,
    at: isoTime(hit.at ?? undefined),
    kind: snippet?.kind ?? 'answer',
    tool: snippet?.tool ?? null,
    snippet: snippet?.pieces ?? [],
  };
}

/** By the byte ranges that were kept, or by its id if it has none. */
async function readHit({ adapter, located }: FoundSession, part: PartHits, { id, place }: FoundMessage) {
  const [index = '', ...ranges] = place.split(' ');
  const states = JSON.parse(part.sources) as readonly { readonly id: SourceId }[];
  const agent = { id: part.agent as AgentId, sources: states.map((state) => state.id) };
  const sources = await sourcesOf(adapter, located, agent);
  const source = sources.find((one) => one.id === states[Number(index)]?.id);
  const bodies = source && openAnew(adapter, located, source, agent.id);
  if (!bodies) return undefined;
  const lines = ranges.flatMap((range) => {
    const [offset = Number.NaN, length = Number.NaN] = range.split(',').map(Number);
    return Number.isNaN(offset) || Number.isNaN(length) ? [] : [{ offset, length }];
  });
  // Some hosts read all of a conversation to find one message of it.
  if (lines.length === 0) await bodies.places();
  const messages = await bodies.read([{ id, timestamp: null, lines }]);
  return messages.find((message) => message.id === id);
}
