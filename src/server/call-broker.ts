import { setTimeout as sleep } from 'node:timers/promises';
import { writePending } from '../audit/index.ts';
import type { CallBrokerOptions, WaitingToolCall } from '../control/index.ts';
import {
  type ApprovalSecret,
  type PendingApprovals,
  signApproval,
  type TerminalPrompt,
  unlockKey,
} from '../guard/index.ts';
import { requestJudgement } from '../hook/index.ts';
import { known } from '../lib/json.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { readTrustedKey } from './approval-proof.ts';
import { findDaemon } from './control.ts';
import { createHookIntake, createServerApprovals } from './hook-intake.ts';
import { answerApproval, isProofNeeded, listApprovals } from './request-server.ts';
import type { HookIntake } from './server-control.ts';

/**
 * Decides and records a call like a hook's: through the server if one runs, so that its page and every other UI can answer, else
 * in this process. Returns what the hook would print.
 */
export function createCallBroker({ folder, host, askAtTerminal }: CallBrokerOptions) {
  const desk = createServerApprovals();
  const intake = createHookIntake(folder, NO_KEYS, {
    // Without a terminal nobody could answer.
    desk: askAtTerminal ? desk : { ...desk, open: () => undefined },
    onError: reportTrouble,
  });
  if (askAtTerminal) askAboutHeld(folder, desk, askAtTerminal);
  return async ({ payload, call, process: ppid, asks, signal }: WaitingToolCall): Promise<string> => {
    const since = Date.now();
    const draft = writePending(folder, host, Buffer.from(JSON.stringify(payload)));
    const notice = { host, draft, asks, since, ...known({ ppid }) };
    const over = new AbortController();
    if (askAtTerminal && call !== undefined) void askAboutRemote(folder, call, askAtTerminal, over.signal);
    try {
      const said = await requestJudgement(folder, { ...notice, signal });
      return said ?? (await judgeHere(intake, notice, signal));
    } finally {
      over.abort();
    }
  };
}

const NO_KEYS = { key: '', proof: '' };

/** On a busy machine the first look at a policy may take too long for a hook. */
const TRIES = 3;

async function judgeHere(intake: HookIntake, notice: Parameters<HookIntake['take']>[0], signal: AbortSignal) {
  for (let tries = 0; tries < TRIES; tries++) {
    // Nobody waits for it any more.
    if (signal.aborted) return '';
    const reply = await intake.take(notice);
    if (typeof reply === 'string') return reply;
    if (!reply) continue;
    signal.addEventListener('abort', reply.withdraw);
    const text = await reply.text;
    if (text !== undefined) return text;
  }
  if (signal.aborted) return '';
  throw new Error('nobody could judge the call');
}

function askAboutHeld(folder: string, desk: PendingApprovals, askAtTerminal: TerminalPrompt): void {
  const open = new Map<string, AbortController>();
  desk.subscribe((ask) => {
    if (ask.end) return open.get(ask.id)?.abort();
    if (open.has(ask.id)) return;
    const ended = new AbortController();
    open.set(ask.id, ended);
    void (async () => {
      const answer = await askAtTerminal(ask, ended.signal);
      if (!answer) return;
      const isProven =
        answer === 'deny' || !(await desk.needsProof(ask.id)) || (await prove(folder, askAtTerminal, ended.signal));
      desk.answer(ask.id, isProven ? answer : 'deny', 'terminal');
    })().catch(reportTrouble);
  });
}

/** The server asks on its page; the person may as well answer where the program was started. */
async function askAboutRemote(folder: string, call: string, askAtTerminal: TerminalPrompt, over: AbortSignal) {
  try {
    for (;;) {
      await sleep(LOOK_MS, undefined, { signal: over });
      const daemon = await findDaemon(folder);
      const ask = daemon && (await listApprovals(daemon)).find((one) => one.call === call && one.end === null);
      if (!daemon || !ask) continue;
      const answer = await askAtTerminal(ask, over);
      if (!answer) return;
      try {
        await answerApproval(daemon, ask.id, answer, 'terminal');
      } catch (error) {
        if (!isProofNeeded(error)) throw error;
        const secret = await prove(folder, askAtTerminal, over);
        if (secret) await answerApproval(daemon, ask.id, answer, 'terminal', signApproval(secret, ask));
      }
      return;
    }
  } catch (error) {
    if (!over.aborted) reportTrouble(error);
  }
}

/** Asks for the passphrase until it is right; undefined if the person gives up, or if none is set. */
async function prove(
  folder: string,
  { passphrase }: TerminalPrompt,
  signal: AbortSignal,
): Promise<ApprovalSecret | undefined> {
  const key = await readTrustedKey(folder);
  while (key && !signal.aborted) {
    const typed = await passphrase(signal);
    if (typed === undefined) return undefined;
    const secret = await unlockKey(typed, key);
    if (secret) return secret;
    process.stderr.write('This is not the passphrase for approvals. Press Enter alone to give up.\n');
  }
  if (!key) process.stderr.write('troupe: no passphrase for approvals is set. See: troupe server passphrase\n');
  return undefined;
}

const LOOK_MS = 400;
