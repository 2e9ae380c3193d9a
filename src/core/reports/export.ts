// Exports: what came of one, and the JSON document that holds a session with all its transcripts.
// The names are a contract (docs/JSON.md): add, never rename.

import { isDeeperThan, isObject } from '../../lib/json.ts';
import { amount, anything, byType, fields, flag, listOf, Misfit, mapOf, oneOf, orNull, text } from '../../lib/shape.ts';
import { assertFound, UserError } from '../../lib/user-error.ts';
import { nativeId } from '../ids.ts';
import type { OpenedTranscripts } from '../ports.ts';
import type { DiffStats, FileChange, SkippedAgent, Transcript, TranscriptMessage } from '../transcript.ts';
import type { TreeReport } from './shapes.ts';
import { computeTree } from './tree.ts';

export const EXPORT_FORMATS = ['html', 'md', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What came of an export. */
export interface ExportReport {
  /** Null where it went to standard output. */
  readonly folder: string | null;
  readonly sessions: readonly ExportedSession[];
  readonly files: number;
  readonly bytes: number;
  /** Pages of an earlier export that are no more. */
  readonly removed: readonly string[];
  /** The same, but somebody changed them: they were left. */
  readonly kept: readonly string[];
  /** Null where nothing was looked for. */
  readonly redactions: RedactionReport | null;
  /** Links that lead nowhere and the like. There should be none. */
  readonly problems: readonly string[];
}

export interface ExportedSession {
  readonly id: string;
  readonly title: string | null;
  /** Where to begin to read, from the folder. */
  readonly start: string;
  /** Agents with a transcript of their own, main included. */
  readonly agents: number;
  readonly skipped: readonly { readonly agentId: string; readonly reason: string }[];
}

/** What was found and replaced. Holds nothing of what was found. */
export interface RedactionReport {
  readonly total: number;
  /** Different ones. */
  readonly secrets: number;
  readonly findings: readonly RedactionFinding[];
}

export interface RedactionFinding {
  readonly kind: string;
  readonly what: string;
  readonly placeholder: string;
  readonly count: number;
  /** The first few. */
  readonly places: readonly string[];
}

/** An exported session: the main agent's transcript with all others in it, as the tree is. `schemas/transcript.schema.json`. */
export interface TranscriptDocument extends Transcript {
  readonly format: 'troupe-transcript';
  readonly version: 1;
  /** As `troupe tree --json` gives it: status, evidence and cost of every agent. */
  readonly session: TreeReport;
  readonly skipped: readonly SkippedAgent[];
}

/** One of a tree's transcripts: in order, each behind the one it stands below. */
export interface FlatTranscript {
  /** 0 for the first one. */
  readonly depth: number;
  /** `sub_agents` is empty. */
  readonly transcript: Transcript;
}

// Without recursion: hostile data nests ten thousand deep.

export function flattenTranscripts(root: Transcript): readonly FlatTranscript[] {
  const flat: FlatTranscript[] = [];
  const open: FlatTranscript[] = [{ depth: 0, transcript: root }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { depth, transcript } = next;
    flat.push({ depth, transcript: { ...transcript, sub_agents: [] } });
    for (const child of transcript.sub_agents.toReversed()) open.push({ depth: depth + 1, transcript: child });
  }
  return flat;
}

/** The other way round. Undefined where there is none. */
export function nestTranscripts(flat: readonly FlatTranscript[]): Transcript | undefined {
  /** Transcripts whose sub-agents are still coming, the deepest last. */
  const path: (Transcript & { readonly sub_agents: Transcript[] })[] = [];
  for (const { depth, transcript } of flat) {
    const nested = { ...transcript, sub_agents: [] };
    path.length = Math.min(depth, path.length);
    path.at(-1)?.sub_agents.push(nested);
    if (path.length > 0 || depth === 0) path.push(nested);
  }
  return path[0];
}

/** What the calls of a conversation changed, file by file; null where they changed none. */
export function sumChanges(messages: readonly TranscriptMessage[]): DiffStats | null {
  const files = new Map<string, FileChange>();
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type !== 'tool_result') continue;
      for (const change of block.changes ?? []) files.set(change.path, plus(files.get(change.path), change));
    }
  }
  if (files.size === 0) return null;
  const all = [...files.values()];
  const sum = (side: 'added' | 'removed'): number => all.reduce((total, file) => total + (file[side] ?? 0), 0);
  return { added: sum('added'), removed: sum('removed'), files: all };
}

/** Known and unknown together are at least what is known. */
function plus(before: FileChange | undefined, change: FileChange): FileChange {
  const add = (a: number | null, b: number | null): number | null => (a === null || b === null ? (a ?? b) : a + b);
  if (!before) return change;
  return { path: change.path, added: add(before.added, change.added), removed: add(before.removed, change.removed) };
}

/** What stands before the conversations in a document. */
export type DocumentHead = Omit<TranscriptDocument, keyof Transcript>;

export function computeDocumentHead(opened: Omit<OpenedTranscripts, 'read' | 'ledger'>): DocumentHead {
  const taken = new Set(opened.agents.map(({ node }) => nativeId(node.id)));
  const session = computeTree(opened, { internal: true });
  // One that the host started for itself is among them only where its conversation comes along.
  const agents = session.agents.filter(({ id, kind }) => kind !== 'internal' || taken.has(id));
  return { format: 'troupe-transcript', version: 1, session: { ...session, agents }, skipped: opened.skipped };
}

/** All of it in memory, for sessions of a reasonable size; `export/document-json.ts` writes any. */
export async function readDocument(opened: OpenedTranscripts): Promise<TranscriptDocument> {
  const flat: FlatTranscript[] = [];
  for await (const { depth, transcript } of opened.read()) flat.push({ depth, transcript });
  const root = assertFound(nestTranscripts(flat), 'the main agent is always among those that are read');
  return { ...computeDocumentHead(opened), ...root };
}

const FORMAT = 'troupe-transcript';
const VERSION = 1;
const REMEDY = 'Export the session again with: troupe export --format json';

/**
 * An exported session, read back. Throws a `UserError` where it is none, or not whole. Nobody knows who wrote it: what is
 * in it is as untrusted as any transcript.
 */
export function parseDocument(json: string): TranscriptDocument {
  const value = parseJson(json);
  if (!isObject(value) || value['format'] !== FORMAT)
    throw new UserError('not-a-transcript', 'This is no transcript that troupe exported.', REMEDY);
  if (value['version'] !== VERSION) {
    const message = `This transcript has version ${JSON.stringify(value['version'])}; this troupe reads version ${VERSION}.`;
    throw new UserError('transcript-version', message, 'Use the version of troupe that exported it, or a newer one.');
  }
  try {
    HEAD(value, '');
    assertTranscripts(value);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new UserError('transcript-damaged', `This transcript is damaged: ${error.message}.`, REMEDY);
  }
  return value as unknown as TranscriptDocument;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new UserError('not-a-transcript', 'This is no JSON, or it was cut off.', REMEDY, { cause });
  }
}

/** Inputs of calls are cut at 100 when they are read. */
const MAX_LEVELS = 120;

/** Without recursion: it may be nested without end. */
function assertTranscripts(root: unknown): void {
  const open: { readonly value: unknown; readonly at: string }[] = [{ value: root, at: '' }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, at } = next;
    if (isDeeperThan({ ...(isObject(value) && value), sub_agents: [] }, MAX_LEVELS))
      throw new Misfit(at, 'nested less deeply');
    TRANSCRIPT(value, at);
    const children = isObject(value) && Array.isArray(value['sub_agents']) ? value['sub_agents'] : [];
    for (const [index, child] of children.entries())
      open.push({ value: child, at: `${at === '' ? '' : `${at}.`}sub_agents[${index}]` });
  }
}

const HEAD = fields({
  session: fields({ session: fields({ id: text }), agents: listOf(fields({ id: text })), diagnostics: fields({}) }),
  skipped: listOf(fields({ agent_id: text, kind: oneOf(['internal', 'delivery', 'empty']), reason: text })),
});

const CHANGE = fields({ path: text, added: orNull(amount), removed: orNull(amount) });
const REF = fields({ agent_id: text, agent_name: orNull(text), agent_type: orNull(text), team_name: orNull(text) });
const IMAGE = fields({ media_type: text, data: orNull(text), bytes: orNull(amount) });
const ATTACHMENT = fields({ media_type: text, name: orNull(text), bytes: orNull(amount) });
const MEDIA = { image: IMAGE, attachment: ATTACHMENT };
const KINDS = ['background', 'message', 'reminder', 'command', 'command-output', 'interruption', 'compaction', 'note'];

const BLOCK = byType({
  text: fields({ text }),
  thinking: fields({ text }),
  summary: fields({ text }),
  tool_use: fields(
    { tool_use_id: text, name: text, input: anything, summary: orNull(text) },
    { sub_agent_ref: REF, sub_agent_refs: listOf(REF) },
  ),
  tool_result: fields(
    { tool_use_id: text, text, is_error: flag },
    { media: listOf(byType(MEDIA)), changes: listOf(CHANGE) },
  ),
  notice: fields({ kind: oneOf(KINDS), title: orNull(text), text, agent_id: orNull(text) }),
  ...MEDIA,
});

const MESSAGE = fields({
  id: text,
  role: oneOf(['user', 'assistant', 'system']),
  timestamp: orNull(text),
  model: orNull(text),
  content: listOf(BLOCK),
});

const USAGE = fields({
  input_tokens: amount,
  output_tokens: amount,
  cache_read_tokens: amount,
  cache_write_tokens: amount,
});

const TRANSCRIPT = fields({
  session_id: text,
  parent_session_id: orNull(text),
  agent: text,
  model: orNull(text),
  title: orNull(text),
  created_at: orNull(text),
  updated_at: orNull(text),
  author: orNull(fields({ name: orNull(text), email: orNull(text) })),
  usage: orNull(USAGE),
  diff_stats: orNull(fields({ added: amount, removed: amount, files: listOf(CHANGE) })),
  known_from: oneOf(['transcript', 'parent', 'nothing']),
  left_out: mapOf(amount),
  messages: listOf(MESSAGE),
  sub_agents: listOf(anything),
});
