// dist/export-worker.js: a thread that does its share of a large export. It reads, searches and writes as the one that started it
// does, one agent at a time, and is told everything else.
import { parentPort, workerData } from 'node:worker_threads';
import { ADAPTERS } from './adapters/registry.ts';
import { codeOf } from './base/system-error.ts';
import { redactorOf } from './compose/export.ts';
import type { WorkerAnswer, WorkerCalls, WorkerOrder, WorkerTask } from './compose/export-crew.ts';
import { type AgentWork, createAgentWork } from './export/agent-work.ts';
import { createGitAuthors } from './io/git-author.ts';
import type { AgentId } from './model/ids.ts';
import { openAhead } from './tracker/open-ahead.ts';
import { reopenTranscripts } from './tracker/session-transcripts.ts';

const { ahead, options, redact }: WorkerOrder = workerData;
const makeRedactor = async () => redact && redactorOf(redact.pii);
const redactorMade = makeRedactor();
let work: Promise<AgentWork> | undefined;
const begin: WorkerCalls['begin'] = async (session) => {
  const reader = reopenTranscripts(ADAPTERS, session);
  work = lookedAhead.then(async ({ folder }) => {
    // Whom it met ahead has to be of the session: the first thread looks for nobody else.
    const redactor = await (folder === undefined || folder === reader.folder ? redactorMade : makeRedactor());
    return createAgentWork(reader, { ...options, ...(redactor && { redactor }) });
  });
  await work;
  const { seen } = await lookedAhead;
  return seen.map((agent) => reader.indexOf(agent)).filter((index) => index >= 0);
};

interface Ahead {
  readonly seen: readonly AgentId[];
  /** Whose people are looked for. */
  readonly folder?: string | undefined;
}

/**
 * While the one that started it still opens the session: what is found to be plain now need not be looked through later. Nothing
 * else comes of it, and where it goes wrong, the same will be said in its turn.
 */
const lookedAhead = lookAhead().catch((): Ahead => ({ seen: [], folder: '' }));

async function lookAhead(): Promise<Ahead> {
  const redactor = await redactorMade;
  if (!ahead || !redactor) return { seen: [] };
  const { folder: folderOf, conversations } = openAhead(ADAPTERS, ahead.session);
  const folder = await folderOf();
  if (folder !== undefined) redactor.meet({ cwd: folder, author: await createGitAuthors()(folder) });
  const seen: AgentId[] = [];
  const { first, step } = ahead;
  for (const { agent, read } of conversations.toReversed().filter((_, at) => at % step === first)) {
    if (work) break;
    redactor.gather(await read());
    seen.push(agent);
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
    const does = calls[call] as (...values: readonly unknown[]) => Promise<unknown>;
    reply({ id, result: await does(...values) });
  } catch (error) {
    const shown = error instanceof Error ? error : new Error(String(error));
    reply({ id, error: { error: shown, code: codeOf(error) } });
  }
}
