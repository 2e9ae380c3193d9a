import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AgentEvent, SessionId } from '../core/index.ts';
import { systemClock } from '../lib/clock.ts';
import { asText, type JsonObject, parseObject } from '../lib/json.ts';
import { packageVersion } from '../lib/package.ts';
import { MAX_DOCUMENT_BYTES, openNew, readText } from '../lib/regular-file.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { ensureStateFolder, stateFolder } from '../lib/state-folder.ts';
import { maskText, maskValue } from '../redact/index.ts';
import { createStreamRecorder, type StreamEvent, thisMachine } from '../sessions/index.ts';
import type { RunOutcome, RunRequest } from './requests.ts';

const KEEP_MS = 30 * 86_400_000;
const KEEP_FILES = 500;
const SUFFIX = '.jsonl';

/**
 * What is left of a run: a line about it, its events, a line about its end. For its owner only, without credentials. If it cannot be
 * written, that is reported, and the program runs all the same.
 */
export function openRunRecord(run: string, { command }: RunRequest) {
  const state = stateFolder(thisMachine());
  const folder = path.join(state, 'runs');
  const told = createStreamRecorder(path.join(state, 'streams'), reportTrouble);
  let last: Promise<unknown> = Promise.resolve();
  const opened = openRecord(state, folder, run).catch(reportTrouble);
  const write = (...records: readonly unknown[]): void => {
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    last = last.then(async () => (await opened)?.appendFile(text)).catch(reportTrouble);
  };
  const at = (): string => new Date(systemClock()).toISOString();
  write({
    type: 'run_started',
    at: at(),
    run,
    troupe_version: packageVersion,
    command: command.map((word) => maskText(word).text),
    cwd: process.cwd(),
  });
  return {
    add: (events: readonly StreamEvent[]): void => write(...events.map((event) => maskValue(event, MAX_TEXT))),
    /** What only the stream knows, for whoever follows the session: the running server, and every later look at it. */
    feed: (session: SessionId, facts: readonly AgentEvent[]): void => told.add(session, facts),
    async end(outcome: RunOutcome, session: string | undefined): Promise<void> {
      write({
        type: 'run_ended',
        at: at(),
        session_id: session ?? null,
        code: outcome.kind === 'exited' ? outcome.code : null,
        signal: outcome.kind === 'killed' ? outcome.signal : null,
      });
      await last;
      await (await opened)?.close().catch(reportTrouble);
      await told.end();
    },
  };
}

/** A run that is over. */
export interface EndedRun {
  /** Null if it was killed: nothing says when. */
  readonly endedAt: string | null;
}

/** The last run of a session, by the host's own id, from what is left of it. For when no run of it is open. */
export async function findEndedRun(state: string, session: string): Promise<EndedRun | undefined> {
  const folder = path.join(state, 'runs');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(SUFFIX)).toSorted();
  for (const name of names.reverse()) {
    const text = await readText(path.join(folder, name), MAX_DOCUMENT_BYTES).catch(() => '');
    if (!text.includes(session)) continue;
    const records = text.split('\n').flatMap((line): JsonObject | readonly JsonObject[] => parseObject(line) ?? []);
    const isOwn = records.some((record) => OWN_TYPES.has(record['type']) && record['session_id'] === session);
    const end = records.findLast((record) => record['type'] === 'run_ended');
    if (isOwn) return { endedAt: asText(end?.['at']) ?? null };
  }
  return undefined;
}

/** Other events may be about sessions that the run's agents started. */
const OWN_TYPES: ReadonlySet<unknown> = new Set(['session_started', 'run_ended']);

/** Prompts are kept as they are up to this length. */
const MAX_TEXT = 16_000;

async function openRecord(state: string, folder: string, run: string) {
  await ensureStateFolder(state);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await prune(folder);
  return openNew(path.join(folder, run + SUFFIX));
}

/** Their names begin with when they began. */
async function prune(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).sort();
  const oldest = systemClock() - KEEP_MS;
  for (const [index, name] of names.entries()) {
    const file = path.join(folder, name);
    const stats = await stat(file).catch(() => undefined);
    if (stats && (stats.mtimeMs < oldest || index < names.length - KEEP_FILES)) await rm(file, { force: true });
  }
}
