import type { Transcript } from './transcript.ts';

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
