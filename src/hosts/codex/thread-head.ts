// Who a rollout belongs to, by its first line: whose thread it is, who asked for it, and which session it is part of.

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { asAmount, asObject, asText, type JsonObject, known, parseJsonBytes } from '../../lib/json.ts';
import { readHead } from '../../lib/read-lines.ts';
import { isWrongFile } from '../../lib/regular-file.ts';
import { type RolloutRecord, recordsIn } from './record.ts';

export interface ThreadHead {
  readonly id: string;
  /** The thread that asked for it. */
  readonly parent?: string;
  /** The thread that a person or a script started, where the version says it (about 0.14x and later). */
  readonly root?: string;
  readonly isSubAgent: boolean;
  /** Where it began. */
  readonly cwd?: string;
  /** What the host started it for, where nobody asked: "review", "compact", "guardian". */
  readonly purpose?: string;
  readonly depth?: number;
  readonly role?: string;
  readonly nickname?: string;
  /** `/root/<task name>`, of version 2 of the agent tools. */
  readonly agentPath?: string;
  readonly forkedFrom?: string;
  /** Lines before this one are a copy of the parent's (0.15x and later). */
  readonly historyStart?: number;
  readonly isVersion2: boolean;
  /** Started by `codex exec`, whose process ends with its turn. */
  readonly isExec: boolean;
}

export function headOf(meta: JsonObject): ThreadHead | undefined {
  const id = asText(meta['id']);
  if (id === undefined) return undefined;
  const source = meta['source'];
  const subAgent = asObject(source)?.['subagent'];
  const spawn = asObject(asObject(subAgent)?.['thread_spawn']);
  const agentPath = asText(meta['agent_path']) ?? asText(spawn?.['agent_path']);
  const named = asText(subAgent) ?? asText(asObject(subAgent)?.['other']);
  const forkedFrom = asText(meta['forked_from_id']);
  return {
    id,
    isSubAgent: subAgent !== undefined,
    isVersion2: meta['multi_agent_version'] === 'v2' || agentPath !== undefined,
    isExec: source === 'exec',
    ...known({
      // Versions that do not name it let an agent begin with a copy of its parent's lines.
      parent:
        asText(meta['parent_thread_id']) ??
        asText(spawn?.['parent_thread_id']) ??
        (subAgent === undefined ? undefined : forkedFrom),
      root: asText(meta['session_id']),
      cwd: asText(meta['cwd']),
      purpose: named ?? (subAgent !== undefined && !spawn ? 'internal' : undefined),
      depth: asAmount(spawn?.['depth']),
      role: asText(meta['agent_role']) ?? asText(spawn?.['agent_role']),
      nickname: asText(meta['agent_nickname']) ?? asText(spawn?.['agent_nickname']),
      agentPath,
      forkedFrom,
      historyStart: asAmount(meta['subagent_history_start_ordinal']),
    }),
  };
}

const ROLLOUT = /^rollout-.*-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/;

export function threadInName(file: string): string | undefined {
  return ROLLOUT.exec(path.basename(file))?.[1];
}

/** The header holds the vendor's instructions, some twenty thousand characters; those of a project come on top. */
export const HEAD_BYTES = [64 * 1024, 4 * 1024 * 1024];

const heads = new Map<string, { readonly state: string; readonly head: ThreadHead }>();
const MAX_HEADS = 50_000;

/** Not looked into again while it stays as it was. None where the file is gone or empty. */
export async function readThreadHead(file: string): Promise<ThreadHead | undefined> {
  try {
    const { ino, size, ctimeMs } = await stat(file);
    const state = `${ino} ${size} ${ctimeMs}`;
    const kept = heads.get(file);
    if (kept?.state === state) return kept.head;
    const head = await readFirstLine(file);
    if (head && heads.size < MAX_HEADS) heads.set(file, { state, head });
    return head;
  } catch (error) {
    // Its name makes it a thread, and reading that thread reports what is wrong.
    return isWrongFile(error) ? headByName(file) : undefined;
  }
}

async function readFirstLine(file: string): Promise<ThreadHead | undefined> {
  for (const bytes of HEAD_BYTES) {
    const begin = await readHead(file, bytes);
    const end = begin.indexOf(10);
    if (end === -1 && begin.length === bytes) continue;
    // Nothing whole was written yet: whose it is, the next look tells.
    if (end === -1) return undefined;
    const line = { bytes: begin.subarray(0, end), offset: 0, length: end, torn: false, tooLong: false };
    const [record] = recordsIn(line, parseJsonBytes).records;
    return (record?.type === 'session_meta' ? headOf(record.payload) : undefined) ?? headByName(file);
  }
  return headByName(file);
}

/** The first line is damaged: the name still says whose thread it is. */
function headByName(file: string): ThreadHead | undefined {
  const id = threadInName(file);
  return id === undefined ? undefined : { id, isSubAgent: false, isVersion2: false, isExec: false };
}

// A forked thread begins with a copy of another's lines: they are that one's, and count there.

/** Whether a line is a copy; to be asked for every line behind the header, in order. */
export type CopyCheck = (record: RolloutRecord) => boolean;

export function createCopyCheck({ id, forkedFrom, historyStart }: ThreadHead): CopyCheck {
  let isCopying = forkedFrom !== undefined;
  return (record) => {
    if (!isCopying) return false;
    const isOwn =
      historyStart !== undefined && record.ordinal !== undefined
        ? record.ordinal >= historyStart
        : beginsOwnTurn(record, id);
    isCopying = !isOwn;
    return isCopying;
  };
}

/** The seventh version: its text sorts by the time at which it was made. */
const TIMED_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/**
 * Versions that do not say where the copy ends (up to 0.14x): threads and turns are named by the moment they began, and
 * the turns of the copy are older than the thread.
 */
function beginsOwnTurn({ type, payload }: RolloutRecord, thread: string): boolean {
  const isTurn = type === 'turn_context' || (type === 'event_msg' && payload['type'] === 'task_started');
  if (!isTurn) return false;
  const turn = asText(payload['turn_id']);
  return turn === undefined || !TIMED_ID.test(turn) || !TIMED_ID.test(thread) || turn > thread;
}
