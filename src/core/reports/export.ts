// Exports: what came of one, and the JSON document that holds a session with all its transcripts.
// The names are a contract (docs/JSON.md): add, never rename.

import { assertFound } from '../../lib/user-error.ts';
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
  /** What the person has decided in reviews, as far as it held for this export. */
  readonly decisions: readonly AppliedDecision[];
}

export interface AppliedDecision {
  /** `show`: values stay as they are. `everywhere`: they are redacted even where nothing marks them as secret. */
  readonly decision: 'show' | 'everywhere';
  readonly kind: string;
  readonly what: string;
  /** Kept for the project; else for this export only. */
  readonly kept: boolean;
}

/** A decision that holds for all exports of a project. Says nothing of the value. */
export interface KeptDecision extends Pick<AppliedDecision, 'decision' | 'kind' | 'what'> {
  readonly id: string;
  /** Its folder. */
  readonly project: string;
  readonly at: string;
}

export const REVIEW_CHOICES = ['redact', 'show', 'everywhere', 'always-show', 'always-everywhere'] as const;
export type ReviewChoice = (typeof REVIEW_CHOICES)[number];

export const REVIEW_WORDS: Readonly<Record<ReviewChoice, string>> = {
  redact: 'redact',
  show: 'show',
  everywhere: 'redact everywhere',
  'always-show': 'always show',
  'always-everywhere': 'always redact everywhere',
};

/** One value that an export would redact, for the person who decides. Holds the value: never to be stored. */
export interface ReviewItem {
  readonly placeholder: string;
  readonly kind: string;
  readonly what: string;
  /** Why it would be redacted, in a sentence. */
  readonly why: string;
  readonly value: string;
  /** The name in front of the value; null if there is none. */
  readonly key: string | null;
  /** One line with the value in it. */
  readonly before: string;
  readonly match: string;
  readonly after: string;
  readonly count: number;
  /** The first few. */
  readonly places: readonly string[];
  /** By which the decision about it is known. */
  readonly digests: readonly string[];
  /** As it is kept. */
  readonly choice: ReviewChoice;
}

export interface Review {
  readonly report: RedactionReport;
  /** Of the digests. */
  readonly salt: string;
  readonly items: readonly ReviewItem[];
  /** Folders that a kept decision would hold for; empty if no session names one. */
  readonly projects: readonly string[];
  /** Why decisions cannot be kept. */
  readonly problem: string | null;
}

/** A review on the page: without the digests, by which the server knows the values again. */
export interface ServedReview {
  /** Names it in the download that follows. */
  readonly id: string;
  readonly items: readonly Omit<ReviewItem, 'digests'>[];
  readonly projects: readonly string[];
  /** Why this browser cannot keep decisions for later exports; null: it can. */
  readonly cannotKeep: string | null;
}

export interface RedactionFinding {
  readonly kind: string;
  readonly what: string;
  /** Why it was redacted, in a sentence that says nothing of the value. */
  readonly why: string;
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
