import {
  type AnswerOutcome,
  type ApprovalAnswer,
  type AttachOptions,
  type AttachReport,
  type AuditEvent,
  type AuditFilter,
  type AuditPage,
  type BudgetReport,
  computeSessionList,
  type HeardCall,
  type LiveEvent,
  type LiveSnapshot,
  listEntryOfDetail,
  localDay,
  type SessionListReport,
  type SessionListRequest,
  type SpendReport,
  type TimelineReport,
  type TranscriptMessage,
} from '../../../src/core/index.ts';
import {
  type AttachedAgent,
  type Backend,
  type ConnectionState,
  type ExportedFile,
  type ExportWish,
  ProofNeeded,
} from '../backend.ts';

const EVENTS = ['snapshot', 'change', 'gone', 'listing', 'ask', 'audit'] as const;

/** The server that the page came from. The cookie that it set says who we are. */
export function createLiveBackend(): Backend {
  return {
    kind: 'live',
    subscribe,
    list: fetchList,
    session: (id) => getJson(`api/sessions/${encodeURIComponent(id)}`),
    timeline: (id, since) =>
      getJson(`api/sessions/${encodeURIComponent(id)}/timeline`, since === undefined ? {} : { since }),
    transcript: (agent, session, { from, limit }) =>
      getJson(`api/agents/${encodeURIComponent(agent)}/transcript`, {
        session,
        from: String(from),
        limit: String(limit),
      }),
    heard: (filter, limit) => getJson('api/guard/log', { ...toQuery(filter), limit: String(limit) }),
    input: readInput,
    answer: sendAnswer,
    pairing: {
      status: () => getJson('api/pairing', {}, pairingHeader()),
      pair,
      unpair: async (id) => (await postJson(`api/pairing/${encodeURIComponent(id)}`, {})).json(),
      pairedWith: () => keptPairing()?.keyId,
    },
    search: {
      async find(query, sessions, signal) {
        const given = new URLSearchParams({ q: query, limit: String(sessions) });
        const response = await fetch(`api/search?${given}`, { signal });
        if (!response.ok) throw new Error(await reasonOf(response));
        return response.json();
      },
      async decide(answer) {
        const response = await fetch('api/search/index', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...pairingHeader() },
          body: JSON.stringify(answer),
        });
        if (response.ok) return response.json();
        const { error } = await response.json();
        if (PAIR_FIRST.has(error?.code)) throw new ProofNeeded(error.message);
        throw new Error(error?.message ?? 'The server refused the answer.');
      },
    },
    export: fetchExport,
    review: {
      async find(session, pii, signal) {
        const response = await fetch(`api/sessions/${encodeURIComponent(session)}/review${pii ? '?pii=1' : ''}`, {
          headers: pairingHeader(),
          signal,
        });
        if (!response.ok) throw new Error(await reasonOf(response));
        return response.json();
      },
      async decide(session, review, choices) {
        await postJson(`api/sessions/${encodeURIComponent(session)}/review`, { review, choices }, pairingHeader());
      },
    },
    async exportCommand(session) {
      const route = `api/sessions/${encodeURIComponent(session)}/export/command`;
      return (await getJson<{ readonly command: string }>(route))?.command;
    },
    attach: fetchAttach,
    async cost(request) {
      const report = await getJson<SpendReport>('api/cost', { ...request });
      if (!report) throw new Error('This server is of an older version, and counts no costs.');
      return report;
    },
    async budgets() {
      return (await getJson<{ readonly budgets: readonly BudgetReport[] }>('api/budgets'))?.budgets ?? [];
    },
    explain: ({ n }) => getJson(`api/guard/explain/${n}`),
    coverage: (session) => getJson(`api/guard/coverage/${encodeURIComponent(session)}`),
  };
}

/** A line of the audit is found by its time, and told from others of the same millisecond by its number. */
async function readInput({ n, at, session }: HeardCall): Promise<{ readonly input: unknown } | undefined> {
  const query = { since: at, until: at, ...(session !== null && { session }), input: '1', limit: '1000' };
  const page = await getJson<AuditPage>('api/guard/log', query);
  return page?.entries.find((entry) => entry.n === n);
}

function toQuery({ since, until, ...words }: AuditFilter): Readonly<Record<string, string>> {
  const times = Object.entries({ since, until }).flatMap(([name, at]) =>
    at === undefined ? [] : [[name, new Date(at).toISOString()]],
  );
  return { ...words, ...Object.fromEntries(times) };
}

/** Browsers give up on a stream that answers with an error: then it is opened anew, later and later. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

function subscribe(
  onEvent: (event: LiveEvent | AuditEvent) => void,
  onState: (state: ConnectionState) => void,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  const open = (): void => {
    source = new EventSource('api/events');
    source.onopen = () => {
      pauseMs = FIRST_PAUSE_MS;
      onState('connected');
    };
    source.onerror = () => {
      onState('lost');
      if (source?.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    };
    for (const type of EVENTS)
      source.addEventListener(type, ({ data }: MessageEvent<string>) => onEvent({ type, data: JSON.parse(data) }));
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

async function getJson<T>(
  route: string,
  query: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<T | undefined> {
  const text = new URLSearchParams(query).toString();
  const response = await fetch(text === '' ? route : `${route}?${text}`, { headers });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(await reasonOf(response));
  return response.json();
}

async function fetchList(
  { query, state, host, project, at, ...rest }: SessionListRequest,
  signal: AbortSignal,
): Promise<SessionListReport> {
  const words = { q: query, state, host, project, at, ...rest };
  const given = Object.entries(words).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const response = await fetch(`api/session-list?${new URLSearchParams(given)}`, { signal });
  if (!response.ok) throw new Error(await reasonOf(response));
  return response.json();
}

/** Taken whole before anything is saved: a part of an export looks like one. */
async function fetchExport(
  session: string,
  { as, pii, review }: ExportWish,
  signal: AbortSignal,
): Promise<ExportedFile> {
  const query = new URLSearchParams({ as, ...(pii && { pii: '1' }), ...(review !== undefined && { review }) });
  const response = await fetch(`api/sessions/${encodeURIComponent(session)}/export?${query}`, { signal });
  if (!response.ok) throw new Error(await reasonOf(response));
  const [, name = 'session'] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
  return { name, content: await response.blob() };
}

async function fetchAttach(
  { agent, session }: AttachedAgent,
  { message, host, fork, budget }: AttachOptions,
  signal: AbortSignal,
): Promise<AttachReport> {
  const query = new URLSearchParams({
    session,
    budget: String(budget),
    ...(message !== undefined && { message }),
    ...(host !== undefined && { host }),
    ...(fork && { fork: '1' }),
  });
  const response = await fetch(`api/agents/${encodeURIComponent(agent)}/attach?${query}`, { signal });
  if (!response.ok) throw new Error(await reasonOf(response));
  return response.json();
}

const PAIRING = 'troupe-pairing';

/** In the storage of this origin, which other ports of this machine do not get: a cookie would be sent to all of them. */
function keptPairing(): { readonly secret: string; readonly keyId: string } | undefined {
  try {
    return JSON.parse(localStorage.getItem(PAIRING) ?? '') ?? undefined;
  } catch {
    return undefined;
  }
}

async function pair(passphrase: string): Promise<void> {
  const response = await postJson('api/pairing', { passphrase, name: nameBrowser(navigator.userAgent) });
  localStorage.setItem(PAIRING, JSON.stringify(await response.json()));
}

/** "Chrome 140 on Linux". Browsers name others as well, for pages that look for those: the first of the list is right. */
function nameBrowser(agent: string): string {
  const browser = BROWSERS.find(([word]) => agent.includes(`${word}/`));
  const version = browser && new RegExp(`${browser[0]}/(\\d+)`).exec(agent)?.[1];
  const system = SYSTEMS.find(([word]) => agent.includes(word))?.[1];
  return [browser?.[1] ?? 'Browser', version, system && `on ${system}`].filter(Boolean).join(' ');
}

const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['HeadlessChrome', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Version', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Rejects unless it succeeds. */
async function postJson(
  route: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const response = await fetch(route, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await reasonOf(response));
  return response;
}

async function sendAnswer(id: string, answer: ApprovalAnswer): Promise<AnswerOutcome> {
  const response = await fetch(`api/asks/${encodeURIComponent(id)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(answer === 'allow' && pairingHeader()) },
    body: JSON.stringify({ answer }),
  });
  if (response.status === 403) {
    const { error } = await response.json();
    if (PAIR_FIRST.has(error?.code)) throw new ProofNeeded(error.message);
    throw new Error(error?.message ?? 'The server refused the answer.');
  }
  if (response.status === 404) return { outcome: 'unknown' };
  const isLate = response.status === 409 || response.status === 410;
  if (!response.ok && !isLate) throw new Error(await reasonOf(response));
  return { outcome: isLate ? 'late' : 'taken', ask: (await response.json()).ask };
}

const PAIR_FIRST: ReadonlySet<unknown> = new Set(['proof-needed', 'passphrase-not-set', 'passphrase-alarm']);

function pairingHeader(): Readonly<Record<string, string>> {
  const secret = keptPairing()?.secret;
  return secret === undefined ? {} : { 'X-Troupe-Pairing': secret };
}

async function reasonOf(response: Response): Promise<string> {
  const answer = await response.json().catch(() => undefined);
  return answer?.error?.message ?? `The server answered ${response.status}.`;
}

/** What a page that stands alone carries in `<script type="application/json" id="troupe-data">`. */
export interface EmbeddedData {
  readonly snapshot: LiveSnapshot;
  /** By session. */
  readonly timelines: Readonly<Record<string, TimelineReport>>;
  /** By session and agent: `<session> <agent>`. */
  readonly transcripts: Readonly<
    Record<string, { readonly title: string | null; readonly messages: readonly TranscriptMessage[] }>
  >;
}

export function createStaticBackend(data: EmbeddedData): Backend {
  return {
    kind: 'static',
    subscribe(onEvent, onState) {
      onState('connected');
      onEvent({ type: 'snapshot', data: data.snapshot });
      return () => {};
    },
    list: async (request) =>
      computeSessionList(data.snapshot.sessions.map(listEntryOfDetail), request, { now: Date.now(), dayOf: localDay }),
    session: async (id) => data.snapshot.sessions.find((session) => session.id === id),
    timeline: async (id) => data.timelines[id],
    heard: async () => undefined,
    input: async () => undefined,
    explain: async () => undefined,
    coverage: async () => undefined,
    answer: async () => ({ outcome: 'unknown' }),
    async transcript(agent, session, { from, limit }) {
      const whole = data.transcripts[`${session} ${agent}`];
      if (!whole) return undefined;
      const messages = whole.messages.slice(from, from + limit);
      return { title: whole.title, messages, from, total: whole.messages.length };
    },
  };
}

/** What is embedded in this page, if anything. */
export function embeddedData(page: Document): EmbeddedData | undefined {
  const text = page.getElementById('troupe-data')?.textContent;
  return text ? JSON.parse(text) : undefined;
}
