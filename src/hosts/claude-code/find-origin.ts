// `--fork-session` and `/branch`: a new session that begins with a copy of another one's lines, and does not say so.

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type HostTotal, toSessionId } from '../../core/index.ts';
import { type FolderEntry, listFolder, modifiedAt } from '../../lib/folders.ts';
import { asInstant, asObject, asText, known } from '../../lib/json.ts';
import { readHead, readLines } from '../../lib/read-lines.ts';
import { AgentScan, type LocatedSession, type SessionOrigin } from '../index.ts';
import { findCleared, isCopiedClear } from './clears.ts';
import { nativeAgentOf, projectFolders, rootOf } from './data-folder.ts';
import { HOST, UNORDERED_MS } from './line-context.ts';
import { hostTotalIn, parseLine, replyIdOf } from './record.ts';
import { type FilesById, once } from './teams.ts';

/** The first line of a conversation is copied first. */
const FORK_HEAD_BYTES = 256 * 1024;

/**
 * The older session that has most of the same lines, and the replies that both have; of two that have the same, the older one
 * wrote them. A copied line keeps its id, or at least that of its request (2.1.45) or of its reply (1.0.60, where a resumed
 * session begins a new file).
 */
export async function findOrigin(
  session: LocatedSession,
  firstLine: string,
  scan?: AgentScan,
): Promise<SessionOrigin | undefined> {
  const own = session.sources.find(({ role }) => role === 'session');
  if (!own) return undefined;
  const cleared = await findCleared(session);
  const emptied: SessionOrigin | undefined = cleared && { id: cleared, isEmptied: true, replies: new Set() };
  // A fork copies the command, too.
  if (emptied && !(await isCopiedClear(own.path))) return emptied;
  const age = await ageOf(own.path).catch(() => undefined);
  if (!age) return undefined;
  const head = Buffer.from(await readHead(own.path, FORK_HEAD_BYTES)).toString('utf8');
  const ids = [/"requestId": ?"([^"]+)"/, /"id": ?"(msg_[^"]+)"/].map((pattern) => pattern.exec(head)?.[1]);
  const marks = [firstLine, ...ids].filter((mark) => mark !== undefined);
  const compactedAt = compactionAtBeginning(head);
  const project = path.dirname(own.path);
  const areHeadsEnough = scan?.isOfMany && compactedAt === undefined;
  const markedIn = async (folder: string, of: AgentScan): Promise<ReadonlySet<string>> => {
    const files = await once(of, `marks ${folder}`, () => filesByMark(folder));
    return new Set(marks.flatMap((mark) => files.get(mark) ?? []));
  };
  const others = await (areHeadsEnough ? markedIn(project, scan) : transcriptsIn(project));
  const copy = { own: own.path, marks, age, compactedAt };
  const origin = await findAmong(others, copy);
  const copiedFrom = oldestCopiedAt(head);
  if (origin || copiedFrom === undefined) return origin ?? emptied;
  // A disk whose clock is behind the lines says nothing.
  const since = (await modifiedAt(own.path)) < age.firstAt ? 0 : copiedFrom;
  // `--fork-session` in another worktree of the repository (2.1.325): the copy is in the project of that folder.
  const elsewhere = scan ?? new AgentScan();
  for (const folder of await projectFolders(rootOf(own))) {
    if (folder === project) continue;
    const files = scan?.isOfMany ? await markedIn(folder, scan) : await writtenSince(since, folder, elsewhere);
    const found = await findAmong(files, { ...copy, compactedAt: undefined });
    if (found) return found;
  }
  return emptied;
}

/** Whether lines follow its first own one that are older. */
export async function beginsWithCopies(file: string): Promise<boolean> {
  const head = await readHead(file, FORK_HEAD_BYTES).catch(() => undefined);
  return head !== undefined && oldestCopiedAt(Buffer.from(head).toString('utf8')) !== undefined;
}

/** Of the lines that are older than its first own one. */
function oldestCopiedAt(head: string): number | undefined {
  const times = head.split('\n').map((line) => {
    const record = asObject(parseLine(Buffer.from(line))) ?? {};
    return { at: asInstant(record['timestamp']), isQueued: record['type'] === 'queue-operation' };
  });
  const first = times.find(({ at }) => at !== undefined);
  const before = (first?.at ?? 0) - (first?.isQueued ? 0 : UNORDERED_MS);
  const copied = times.flatMap(({ at, isQueued }) => (!isQueued && at !== undefined && at < before ? at : []));
  return copied.length === 0 ? undefined : copied.reduce((a, b) => Math.min(a, b));
}

interface Copy {
  readonly own: string;
  /** Ids in its first lines. */
  readonly marks: readonly string[];
  readonly age: Age;
  readonly compactedAt: number | undefined;
}

async function findAmong(others: Iterable<string>, copy: Copy): Promise<SessionOrigin | undefined> {
  let lines: readonly CopiedLine[] | undefined;
  let best: { readonly origin: SessionOrigin; readonly shared: number; readonly age: Age } | undefined;
  for (const file of others) {
    if (file === copy.own) continue;
    // A neighbour that cannot be read is no origin that we could prove.
    const theirs = await readIfOlder(file, copy).catch(() => undefined);
    if (!theirs) continue;
    lines ??= (await readCopiedLines(copy.own)).lines;
    const keys = new Set(theirs.lines.flatMap(({ line, request, reply }) => [line, request, reply]));
    const shared = lines.filter((one) => [one.line, one.request, one.reply].some((key) => key && keys.has(key)));
    const isBetter =
      !best || shared.length > best.shared || (shared.length === best.shared && (await isOlder(theirs.age, best.age)));
    const leftAt = firstAfter(lines, shared.at(-1));
    if (shared.length > 0 && isBetter)
      best = {
        origin: {
          id: toSessionId(HOST, theirs.age.session),
          replies: new Set(shared.flatMap(({ reply }) => reply ?? [])),
          totals: totalsAt(theirs, leftAt ?? copy.age.firstAt),
          ...known({ leftAt }),
        },
        shared: shared.length,
        age: theirs.age,
      };
  }
  return best?.origin;
}

async function transcriptsIn(project: string): Promise<readonly string[]> {
  const isTranscript = ({ name, kind }: FolderEntry): boolean =>
    kind === 'file' && name.endsWith('.jsonl') && !nativeAgentOf(name);
  return (await listFolder(project)).filter(isTranscript).map(({ name }) => path.join(project, name));
}

/** Nothing else can hold lines of that time: a project may have thousands of sessions. */
async function writtenSince(time: number, project: string, scan: AgentScan): Promise<readonly string[]> {
  const times = await once(scan, `times ${project}`, async () => {
    const files = await transcriptsIn(project);
    return new Map(await Promise.all(files.map(async (file) => [file, [String(await modifiedAt(file))]] as const)));
  });
  return [...times].flatMap(([file, [at]]) => (Number(at) >= time ? file : []));
}

/** For who asks of every session of a project: the heads are read once, not once for each session. */
async function filesByMark(project: string): Promise<FilesById> {
  const files = new Map<string, string[]>();
  for (const file of await transcriptsIn(project)) {
    const head = Buffer.from(await readHead(file, FORK_HEAD_BYTES).catch(() => new Uint8Array())).toString('utf8');
    const marks = new Set(Array.from(head.matchAll(/[iI][dD]": ?"([^"]+)"/g), ([, id = '']) => id));
    for (const mark of marks) files.set(mark, [...(files.get(mark) ?? []), file]);
  }
  return files;
}

interface CopiedLine {
  readonly line: string;
  readonly request?: string;
  /** As the reader counts it. */
  readonly reply?: string;
  readonly at?: number;
}

/** When the first line was written that is not a copy. */
function firstAfter(lines: readonly CopiedLine[], last: CopiedLine | undefined): number | undefined {
  return last && lines.slice(lines.indexOf(last) + 1).find(({ at }) => at !== undefined)?.at;
}

/** A copy of a conversation that was compacted begins in its middle: with the boundary. */
function compactionAtBeginning(head: string): number | undefined {
  const line = head.split('\n').find((one) => one.includes('"uuid"'));
  const record = line === undefined ? undefined : asObject(parseLine(Buffer.from(line)));
  return record?.['subtype'] === 'compact_boundary' ? asInstant(record['timestamp']) : undefined;
}

async function readIfOlder(file: string, { marks, age, compactedAt }: Copy) {
  const has = (bytes: Uint8Array): boolean => marks.some((mark) => asBuffer(bytes).includes(`"${mark}"`));
  if (!has(await readHead(file, FORK_HEAD_BYTES))) {
    if (compactedAt === undefined || (await modifiedAt(file)) < compactedAt) return undefined;
    let isFound = false;
    await readLines(file, ({ bytes }) => {
      isFound ||= has(bytes);
    });
    if (!isFound) return undefined;
  }
  const theirAge = await ageOf(file);
  return (await isOlder(theirAge, age)) ? { age: theirAge, ...(await readCopiedLines(file)) } : undefined;
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

interface CopiedLines {
  readonly lines: readonly CopiedLine[];
  /** Sums of the program's, each with the time of the last line before it. */
  readonly totals: readonly (HostTotal & { readonly after: number })[];
}

async function readCopiedLines(file: string): Promise<CopiedLines> {
  const lines: CopiedLine[] = [];
  const totals: CopiedLines['totals'][number][] = [];
  let after = 0;
  await readLines(file, ({ bytes }) => {
    const record = asObject(parseLine(bytes));
    if (!record) return;
    after = asInstant(record['timestamp']) ?? after;
    const total = record['type'] === 'cost-state' ? hostTotalIn(record) : undefined;
    if (total) totals.push({ ...total, after });
    const line = asText(record['uuid']);
    if (line === undefined) return;
    const reply = record['type'] === 'assistant' ? replyIdOf(record) : undefined;
    lines.push({ line, ...known({ request: asText(record['requestId']), reply, at: asInstant(record['timestamp']) }) });
  });
  return { lines, totals };
}

/** The sums that a copy made then goes on with: a process begins with the last one of the session that it copies. */
function totalsAt({ totals }: CopiedLines, madeAt: number): readonly HostTotal[] {
  return totals.filter(({ after }) => after < madeAt).slice(-1);
}

interface Age {
  readonly file: string;
  readonly session: string;
  /** The session that its first line was copied from (`/branch`). */
  readonly branchOf: string | undefined;
  /** Of the first line that has a time: a fork's own first lines are younger than the lines it copies behind them. */
  readonly firstAt: number;
  readonly born: number;
}

/** The session that a `/branch` is a copy of: each of its copied lines names it. */
export function branchOriginIn(head: string): string | undefined {
  return /^[^\n]*"forkedFrom": ?\{"sessionId": ?"([^"]+)"/.exec(head)?.[1];
}

async function ageOf(file: string): Promise<Age> {
  const head = Buffer.from(await readHead(file, FORK_HEAD_BYTES)).toString('utf8');
  const { birthtimeMs } = await stat(file);
  const branchOf = branchOriginIn(head);
  const session = path.basename(file, '.jsonl');
  return {
    file,
    session,
    firstAt: asInstant(head.match(/"timestamp":"([^"]+)"/)?.[1]) ?? 0,
    born: birthtimeMs,
    branchOf,
  };
}

/** All files of a conversation and its branches begin with the same line, so a branch is known by what it names, not by times. */
async function isOlder(a: Age, b: Age): Promise<boolean> {
  if (await isBranchOf(b.file, new Set([a.session]))) return true;
  if (await isBranchOf(a.file, new Set([b.session]))) return false;
  return a.firstAt === b.firstAt ? a.born < b.born : a.firstAt < b.firstAt;
}

/** A copy of one of these sessions, or of a copy of it. A copy of a session that `/clear` began knows none of the agents before. */
export async function isBranchOf(main: string | undefined, origins: ReadonlySet<string>): Promise<boolean> {
  const seen = new Set<string>();
  for (let file = main; file !== undefined && !seen.has(file); ) {
    seen.add(file);
    const { branchOf } = (await ageOf(file).catch(() => undefined)) ?? {};
    if (branchOf !== undefined && origins.has(branchOf)) return true;
    file = branchOf === undefined ? undefined : path.join(path.dirname(file), `${branchOf}.jsonl`);
  }
  return false;
}
