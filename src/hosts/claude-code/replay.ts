// When Claude Code wrote what: the schedule by which a recording is played. As observed with 2.1.325.

import { createHash } from 'node:crypto';
import { nativeId } from '../../core/index.ts';
import { asInstant, asObject, known } from '../../lib/json.ts';
import { linuxStart } from '../../lib/processes.ts';
import { MAX_DOCUMENT_BYTES, readText } from '../../lib/regular-file.ts';
import type { LocatedSession, LocatedSource, ReplayStep } from '../index.ts';
import { nativeAgentOf } from './data-folder.ts';
import { locate } from './locate.ts';
import { parseWhole, type RawRecord } from './record.ts';

export async function schedule(root: string): Promise<readonly ReplayStep[]> {
  const { sessions } = await locate(root);
  const steps = (await Promise.all(sessions.map(scheduleSession))).flat();
  // Sorting keeps the order of what has the same time.
  return steps.sort((a, b) => a.at - b.at);
}

async function scheduleSession({ id, sources }: LocatedSession): Promise<readonly ReplayStep[]> {
  const files = await Promise.all(sources.map(readSource));
  const ofRole = (role: string): readonly RecordedFile[] => files.filter((file) => file.role === role);
  const main = ofRole('session').map(({ name, text }) => ({ name, lines: timeLines(text) }));
  const linesOf = new Map(ofRole('agent').map(({ agent, text }) => [agent, timeLines(text)]));
  const times = [...main.map(({ lines }) => lines), ...linesOf.values()].flat().map(({ at }) => at);
  const from = times.filter(Number.isFinite).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const to = times.reduce((a, b) => Math.max(a, b), from);
  const process = await createProcessRecord(nativeId(id), main[0]?.lines ?? []);
  const sidecarOf = new Map(ofRole('sidecar').map((file) => [file.agent, file]));
  const steps: readonly ReplayStep[] = [
    { at: from, file: process.file, shape: 'document', text: process.text(false, from) },
    ...main.flatMap(({ name, lines }) => transcriptSteps(name, lines, process)),
    ...ofRole('agent').flatMap(({ agent, name }) => agentSteps(name, linesOf.get(agent) ?? [], sidecarOf.get(agent))),
    ...ofRole('sidecar').flatMap((file) => (linesOf.has(file.agent) ? [] : documentStep(file, from))),
    ...ofRole('journal').flatMap(({ name, text }) => transcriptSteps(name, timeJournal(text, linesOf))),
    ...ofRole('manifest').map((file) => documentStep(file, endOfWorkflow(file.text) ?? to)),
    { at: to, file: process.file, shape: 'gone', text: '' },
  ];
  return Number.isFinite(from) ? steps.map((step) => ({ ...step, at: Math.max(step.at, from) })) : [];
}

type RecordedFile = Awaited<ReturnType<typeof readSource>>;

/** `name`: below the root. */
async function readSource({ id, path, role }: LocatedSource) {
  return { name: id, role, agent: nativeAgentOf(path), text: await readText(path, MAX_DOCUMENT_BYTES) };
}

/** A document that tells whether the agent of a transcript is at work. */
interface Companion {
  readonly file: string;
  text(isTurnOver: boolean, at: number): string;
}

function transcriptSteps(file: string, lines: readonly TimedLine[], companion?: Companion): readonly ReplayStep[] {
  let isOver = false;
  return lines.flatMap((line): readonly ReplayStep[] => {
    const wasOver = isOver;
    isOver = isTurnOver(line, wasOver);
    const step: ReplayStep = { at: line.at, file, shape: 'lines', text: line.text };
    if (!companion || companion.text(isOver, 0) === companion.text(wasOver, 0)) return [step];
    return [step, { at: line.at, file: companion.file, shape: 'document', text: companion.text(isOver, line.at) }];
  });
}

/** Set in the sidecar when the agent has ended by itself, and taken out again when it is woken (2.1.325). */
const FINISHED = ',"finished":true';

/** The sidecar comes just before the first line; that the agent has ended, it must not say before it has. */
function agentSteps(file: string, lines: readonly TimedLine[], sidecar?: RecordedFile): readonly ReplayStep[] {
  const [first, last] = [lines[0], lines.at(-1)];
  if (!sidecar || !first || !last) return transcriptSteps(file, lines);
  const atWork = sidecar.text.replace(FINISHED, '');
  const text = (isOver: boolean): string => (isOver ? sidecar.text : atWork);
  const steps = [
    documentStep({ ...sidecar, text: atWork }, first.at),
    ...transcriptSteps(file, lines, { file: sidecar.name, text }),
  ];
  const isWhole = steps.findLast((step) => step.file === sidecar.name)?.text === sidecar.text;
  return isWhole ? steps : [...steps, documentStep(sidecar, last.at)];
}

function documentStep({ name, text }: RecordedFile, at: number): ReplayStep {
  return { at, file: name, shape: 'document', text };
}

/** A journal has no times: its agents have. */
function timeJournal(
  text: string,
  linesOf: ReadonlyMap<string | undefined, readonly TimedLine[]>,
): readonly TimedLine[] {
  return timeLines(text, ({ type, agentId }: RawRecord) => {
    const lines = typeof agentId === 'string' ? linesOf.get(agentId) : undefined;
    return type === 'result' ? lines?.at(-1)?.at : lines?.[0]?.at;
  });
}

function endOfWorkflow(manifest: string): number | undefined {
  return asInstant(asObject(parseWhole(Buffer.from(manifest)))?.['timestamp']);
}

interface TimedLine {
  /** Epoch milliseconds; never before the line above. Minus infinity where nothing in the file has a time. */
  readonly at: number;
  /** With its newline, if it has one. */
  readonly text: string;
  readonly record: RawRecord;
}

/** Lines without a time came with the one above them, and those at the top with the first that has one. */
function timeLines(
  text: string,
  timeOf: (record: RawRecord) => number | undefined = (record) => asInstant(record['timestamp']),
): readonly TimedLine[] {
  const lines = (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const record = asObject(parseWhole(Buffer.from(line))) ?? {};
    return { text: line, record, at: timeOf(record) };
  });
  let last = lines.find(({ at }) => at !== undefined)?.at ?? Number.NEGATIVE_INFINITY;
  return lines.map(({ at, ...line }) => {
    // A line may carry an earlier time than the one above: a reply is dated when it began, and written when it is there.
    last = Math.max(last, at ?? last);
    return { ...line, at: last };
  });
}

/** Whether the agent has had its say as of this line; a line that says nothing about it leaves it as it `was`. */
function isTurnOver({ record }: TimedLine, was: boolean): boolean {
  if (record['type'] === 'user') return false;
  if (record['type'] !== 'assistant') return was;
  const reason = asObject(record['message'])?.['stop_reason'];
  return typeof reason === 'string' && reason !== 'tool_use';
}

/** As 2.1.325 writes it, without what only the program itself needs (sockets, features). */
async function createProcessRecord(sessionId: string, lines: readonly TimedLine[]) {
  const first = (field: string): unknown => lines.find(({ record }) => record[field] !== undefined)?.record[field];
  const entrypoint = first('entrypoint');
  const record = {
    pid: process.pid,
    sessionId,
    ...known({ cwd: first('cwd') }),
    // Of the process, not of the session: where there is no /proc, it tells us from another process with our number.
    startedAt: Math.round(performance.timeOrigin),
    ...known({ procStart: await linuxStart(process.pid), version: first('version') }),
    kind: 'interactive',
    ...known({ entrypoint }),
  };
  return {
    file: `sessions/${process.pid}.json`,
    text(isTurnOver: boolean, at: number): string {
      // Without a terminal (`-p`) the program is busy until it ends, also while it waits for agents in the background.
      const status = isTurnOver && entrypoint !== 'sdk-cli' ? 'idle' : 'busy';
      return JSON.stringify({ ...record, status, updatedAt: at, statusUpdatedAt: at });
    },
  };
}

// Moves the times of a line or a document. Versions seen: 1.0.60 to 2.1.325.

/** Where the program itself notes a time, by the keys that lead there. Whatever else looks like one is somebody's text. */
const OWN_TIMES = new Set([
  'timestamp',
  'attachment.timestamp',
  // `file-history-snapshot`
  'snapshot.timestamp',
  // `progress`: the line of an agent, inside its parent's (2.1.9 to 2.1.83)
  'data.message.timestamp',
  // `cost-state`, and the manifest of a workflow
  'startTime',
  'workflowProgress.queuedAt',
  'workflowProgress.startedAt',
  'workflowProgress.lastProgressAt',
  // `sessions/<pid>.json`. Its `startedAt` is left alone: it has to be that of the process.
  'updatedAt',
  'statusUpdatedAt',
]);

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/**
 * `toNow` is asked in epoch milliseconds, and answers in whole ones. Works on the text: JSON that is parsed and written
 * again would not come out byte for byte.
 */
export function retime(text: string, toNow: (at: number) => number): string {
  /** The containers around the token: their keys, and whether it is keys that they hold. */
  const around: { readonly key: string; readonly isObject: boolean }[] = [];
  let key = '';
  let isKeyNext = false;
  return text.replace(TOKEN, (token) => {
    if (token === '{' || token === '[') {
      around.push({ key, isObject: token === '{' });
      key = '';
      isKeyNext = token === '{';
    } else if (token === '}' || token === ']') {
      around.pop();
    } else if (token === ',') {
      key = '';
      isKeyNext = around.at(-1)?.isObject ?? false;
    } else if (token === ':') {
      isKeyNext = false;
    } else if (isKeyNext) {
      key = token.slice(1, -1);
    } else if (OWN_TIMES.has(pathTo(key, around))) {
      return move(token, toNow);
    }
    return token;
  });
}

/** Entries of a list have no key: they count as their list. */
function pathTo(key: string, around: readonly { readonly key: string }[]): string {
  return [...around.map((container) => container.key), key].filter((name) => name !== '').join('.');
}

/** In the two notations that the program uses; anything else is no time. */
function move(token: string, toNow: (at: number) => number): string {
  if (/^\d{13}$/.test(token)) return String(toNow(Number(token)));
  const at = Date.parse(token.slice(1, -1));
  const isIso = !Number.isNaN(at) && token === `"${new Date(at).toISOString()}"`;
  return isIso ? `"${new Date(toNow(at)).toISOString()}"` : token;
}

// New ids for each take: a recording that is played twice must not be the same session twice.

/**
 * Sessions and lines, agents (named ones too: `aalice-c57bf7172d0759e4`), calls, replies and requests. They also stand in
 * texts, where they must change as well: a result tells its caller the agent's id in words. Lines need new ids because a
 * session that shares its first line with another one is taken for a fork of it.
 */
const IDS =
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\ba(?:[\w-]+-)?[0-9a-f]{16}\b|\b(?:toolu|msg|req)_01\w{22}\b/g;

export function rename(text: string, take: number): string {
  return take === 0 ? text : text.replace(IDS, (id) => renew(id, take));
}

/** Of the same length and notation. What comes before the last digits is a name or a prefix, and stays. */
function renew(id: string, take: number): string {
  return id.replace(/(?:[0-9a-f-]{36}|[0-9a-f]{16}|\w{22})$/, (end) => {
    const digits = createHash('sha256').update(`${take} ${end}`).digest('hex');
    let next = 0;
    return end.replace(/\w/g, () => digits.charAt(next++));
  });
}
