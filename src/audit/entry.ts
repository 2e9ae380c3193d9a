import { createHash } from 'node:crypto';
import {
  type AuditAgent,
  type AuditDecision,
  type AuditEntry,
  DECISIONS,
  nativeId,
  readAnsweredBy,
} from '../core/index.ts';
import type { HookCall, HookEvent } from '../hosts/index.ts';
import { asAmount, asObject, asText, type JsonObject, known, parseObject } from '../lib/json.ts';
import { maskValue } from '../redact/index.ts';

export interface EntryParts {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly event: HookEvent;
  readonly call: HookCall;
  readonly agent: AuditAgent;
  /** What stood beside the payload: a decision, where one was made. */
  readonly extra: JsonObject;
}

/** A model invents tools and names its agents: a name may be as long as a text. */
const LONGEST_NAME = 200;

/**
 * In the order in which the fields stand in the file. Everything that a model's or a person's text may have got into is
 * masked; what the host numbers (session, call) is not: by it a line is found again.
 */
export function toEntry({ id, at, event, call, agent, extra }: EntryParts): EntryFields {
  return {
    v: 1,
    id,
    at: new Date(at).toISOString(),
    host: event.host,
    event: maskName(event.name),
    session: nativeId(event.session) || null,
    agent: maskAgent(agent),
    tool: maskName(call.tool),
    call: call.id ?? null,
    summary: toSummaryLine(call.subject ?? ''),
    input: maskValue(call.input) ?? null,
    cwd: maskText(event.cwd),
    decision: toDecision(extra['decision']),
    rule: maskText(extra['rule']),
    reason: maskText(extra['reason']),
    ms: asAmount(extra['ms']) ?? null,
    ...known({
      answeredBy: readAnsweredBy(extra['answeredBy']),
      startedBy: startIn(extra),
      doubts: listIn(extra['doubts']),
      gap: maskText(extra['gap']) ?? undefined,
      via: extra['via'] === 'intercept' ? ('intercept' as const) : undefined,
    }),
  };
}

function startIn(extra: JsonObject): AuditEntry['startedBy'] {
  const path = listIn(extra['under']);
  return path && { agent: maskText(extra['parent']), path };
}

const MOST_TEXTS = 50;

function listIn(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, MOST_TEXTS).flatMap((one) => maskText(one) ?? []);
}

function maskText(value: unknown): string | null {
  return asText(maskValue(asText(value))) ?? null;
}

function maskName(value: string): string {
  return asText(maskValue(value, LONGEST_NAME)) ?? '';
}

function maskAgent(agent: AuditAgent): AuditAgent {
  const nameOrNull = (value: string | null): string | null => (value === null ? null : maskName(value));
  return {
    ...agent,
    id: nameOrNull(agent.id),
    type: nameOrNull(agent.type),
    name: nameOrNull(agent.name),
    path: agent.path.map(maskName),
    reason: maskText(agent.reason),
  };
}

export const UNKNOWN_AGENT: AuditAgent = {
  who: 'unknown',
  id: null,
  type: null,
  name: null,
  kind: null,
  depth: null,
  path: [],
  evidence: 'none',
  reason: null,
};

function toDecision(value: unknown): AuditDecision {
  return DECISIONS.find((decision) => decision === value) ?? 'observed';
}

const LONGEST = 400;

/**
 * The first line of what a call is about, with a mark for what does not show: a second line may do more than the first.
 * Masked before it is cut, for a secret may begin in one line and end in another.
 */
function toSummaryLine(subject: string): string | null {
  const lines = subject.split('\n').filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  const masked = asText(maskValue(subject.trim(), LONGEST)) ?? '';
  const line = masked.split('\n')[0]?.trim() ?? '';
  if (line === '') return null;
  // A line that was cut says so already.
  const more = first.trim().length > LONGEST ? 0 : lines.length - 1;
  return more === 0 ? line : `${line} … (+${more} ${more === 1 ? 'line' : 'lines'})`;
}

/** A place in the chain. */
export interface ChainLink {
  readonly n: number;
  readonly hash: string;
}

/** What comes before the first line. */
export const CHAIN_START: ChainLink = { n: 0, hash: '0'.repeat(64) };

export type EntryFields = Omit<AuditEntry, 'n' | 'prev' | 'hash'>;

/** The next line of the chain, without its newline. */
export function sealEntry({ v, ...fields }: EntryFields, last: ChainLink): ChainLink & { readonly line: string } {
  const n = last.n + 1;
  const open = JSON.stringify({ v, n, ...fields, prev: last.hash }).slice(0, -1);
  const hash = hashOf(open);
  return { n, hash, line: `${open},"hash":"${hash}"}` };
}

/**
 * Nothing where it is no line of an audit. `isIntact`: the hash is that of the text, not of what JSON makes of it: order and spaces
 * count.
 */
export function openSealed(text: string): { readonly entry: AuditEntry; readonly isIntact: boolean } | undefined {
  const entry = parseEntry(text);
  if (!entry) return undefined;
  const [tail = '', hash] = /,"hash":"([0-9a-f]{64})"\}$/.exec(text.slice(-80)) ?? [];
  return { entry, isIntact: tail !== '' && hash === hashOf(text.slice(0, -tail.length)) };
}

/** A line as an entry, its hash not looked at. */
export function parseEntry(text: string): AuditEntry | undefined {
  const raw = parseObject(text);
  const isEntry =
    Number.isSafeInteger(raw?.['n']) &&
    [raw?.['id'], raw?.['at'], raw?.['prev'], raw?.['hash']].every((field) => typeof field === 'string') &&
    asObject(raw?.['agent']) !== undefined;
  return isEntry ? (raw as unknown as AuditEntry) : undefined;
}

/** The text without its hash: closed again, as if there had been none. */
function hashOf(open: string): string {
  return createHash('sha256').update(`${open}}`).digest('hex');
}
