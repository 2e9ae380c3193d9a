// dist/export-worker.js: a thread that does its share of a large export. It reads, searches and writes as the one that started it
// does, one agent at a time, and is told everything else.

import { parentPort, workerData } from 'node:worker_threads';
import type { AgentId } from '../core/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { createGitAuthors } from '../lib/git-author.ts';
import { codeOf } from '../lib/user-error.ts';
import { openAhead, reopenTranscripts } from '../sessions/index.ts';
import {
  type AgentWork,
  createAgentWork,
  createScanCache,
  type SurveyedAgent,
  surveyConversation,
} from './agent-work.ts';
import { redactorOf } from './run-export.ts';
import type { WorkerAnswer, WorkerCalls, WorkerOrder, WorkerTask } from './worker-pool.ts';

const { ahead, options, redact }: WorkerOrder = workerData;
const makeRedactor = async () => redact && redactorOf(redact.pii);
const redactorMade = makeRedactor();
const scanCache = createScanCache();
let work: Promise<AgentWork> | undefined;
const begin: WorkerCalls['begin'] = async (session) => {
  const reader = reopenTranscripts(ADAPTERS, session);
  work = lookedAhead.then(async ({ folder, seen }) => {
    // Whom it met ahead has to be of the session: the first thread looks for nobody else.
    const isTheSame = folder === undefined || folder === reader.folder;
    const redactor = await (isTheSame ? redactorMade : makeRedactor());
    const known = isTheSame ? seen.map(([id, one]) => [reader.indexOf(id), one] as const) : [];
    const ahead = new Map(known.filter(([index]) => index >= 0));
    return createAgentWork(reader, { ...options, ...(redactor && { redactor }) }, { scanCache, ahead });
  });
  await work;
};

interface Ahead {
  readonly seen: readonly (readonly [agent: AgentId, surveyed: SurveyedAgent])[];
  /** Whose people are looked for. */
  readonly folder?: string | undefined;
}

/**
 * While the one that started it still opens the session. Holds for files that stay as they are; where it goes wrong, the same will be
 * said in its turn.
 */
const lookedAhead = lookAhead().catch((): Ahead => ({ seen: [], folder: '' }));

async function lookAhead(): Promise<Ahead> {
  const redactor = await redactorMade;
  if (!ahead) return { seen: [] };
  const { folder: folderOf, conversations } = openAhead(ADAPTERS, ahead.session);
  const folder = await folderOf();
  if (folder !== undefined) redactor?.meet({ cwd: folder, author: await createGitAuthors()(folder) });
  const seen: [agent: AgentId, surveyed: SurveyedAgent][] = [];
  const { first, step } = ahead;
  for (const { agent, read } of conversations.toReversed().filter((_, at) => at % step === first)) {
    if (work) break;
    const spoken = await read();
    if (spoken.edition === undefined || spoken.messages.length === 0) continue;
    const surveyed = surveyConversation(spoken, { ...options, ...(redactor && { redactor }) }, true);
    scanCache.remember(agent, surveyed);
    seen.push([agent, surveyed]);
  }
  return { seen, folder };
}

/** One after the other: several at once would only hold more of the session in memory. */
let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (task: WorkerTask) => {
  last = last.then(() => answer(task));
});

async function answer({ id, call, values }: WorkerTask): Promise<void> {
  const reply = (answer: WorkerAnswer): void => parentPort?.postMessage(answer);
  try {
    const calls: Partial<WorkerCalls> = { ...(await work), begin };
    const does = calls[call] as ((...values: readonly unknown[]) => Promise<unknown>) | undefined;
    if (!does) throw new Error(`troupe: ${call} came before the session`);
    reply({ id, result: await does(...values) });
  } catch (error) {
    const shown = error instanceof Error ? error : new Error(String(error));
    reply({ id, error: { error: shown, code: codeOf(error) } });
  }
}
