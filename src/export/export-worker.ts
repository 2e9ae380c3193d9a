// dist/export-worker.js: a thread that does its share of a large export. It reads, searches and writes as the one that started it
// does, one agent at a time, and is told everything else.

import { parentPort, workerData } from 'node:worker_threads';
import { loadHosts } from '../hosts/registry.ts';
import { codeOf } from '../lib/user-error.ts';
import { reopenTranscripts } from '../sessions/index.ts';
import { type AgentWork, createAgentWork, ScanCache } from './agent-work.ts';
import { ValueDecisions } from './decisions.ts';
import { createUserRedactor } from './redact-input.ts';
import type { WorkerAnswer, WorkerCalls, WorkerOrder, WorkerTask } from './worker-pool.ts';

const { options, redact }: WorkerOrder = workerData;
// Made while the first thread still opens the session.
const decisions = new ValueDecisions();
const redactorMade = redact ? createUserRedactor(redact.pii, { decisions }) : undefined;
// Reported by `begin`.
redactorMade?.catch(() => undefined);
let work: AgentWork | undefined;
const begin: WorkerCalls['begin'] = async (session, layers) => {
  decisions.adopt(layers);
  const redactor = await redactorMade;
  const reader = reopenTranscripts(await loadHosts(), session);
  work = createAgentWork(reader, { ...options, ...(redactor && { redactor }) }, new ScanCache());
};

/** One after the other: several at once would only hold more of the session in memory. */
let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (task: WorkerTask) => {
  last = last.then(() => answer(task));
});

async function answer({ id, call, values }: WorkerTask): Promise<void> {
  const reply = (answer: WorkerAnswer): void => parentPort?.postMessage(answer);
  try {
    const calls: Partial<WorkerCalls> = { ...work, begin };
    const does = calls[call] as ((...values: readonly unknown[]) => Promise<unknown>) | undefined;
    if (!does) throw new Error(`troupe: ${call} came before the session`);
    reply({ id, result: await does(...values) });
  } catch (error) {
    const shown = error instanceof Error ? error : new Error(String(error));
    reply({ id, error: { error: shown, code: codeOf(error) } });
  }
}
