// dist/export-worker.js: a thread that does its share of a large export. It reads, searches and writes as the one that started it
// does, one agent at a time, and is told everything else.
import { parentPort, workerData } from 'node:worker_threads';
import { ADAPTERS } from './adapters/registry.ts';
import { codeOf } from './base/system-error.ts';
import { redactorOf } from './compose/export.ts';
import type { WorkerAnswer, WorkerCalls, WorkerOrder, WorkerTask } from './compose/export-crew.ts';
import { type AgentWork, createAgentWork } from './export/agent-work.ts';
import { reopenTranscripts } from './tracker/session-transcripts.ts';

const { options, redact }: WorkerOrder = workerData;
// While the one that started it still opens the session.
const redactorMade = redact ? redactorOf(redact.pii) : Promise.resolve(undefined);
let work: Promise<AgentWork> | undefined;
const begin: WorkerCalls['begin'] = async (session) => {
  work = redactorMade.then((redactor) =>
    createAgentWork(reopenTranscripts(ADAPTERS, session), { ...options, ...(redactor && { redactor }) }),
  );
  await work;
};

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
