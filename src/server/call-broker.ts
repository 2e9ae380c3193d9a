import { setTimeout as sleep } from 'node:timers/promises';
import { writePending } from '../audit/index.ts';
import type { CallBrokerOptions, WaitingToolCall } from '../control/index.ts';
import type { PendingApprovals, TerminalPrompt } from '../guard/index.ts';
import { requestJudgement } from '../hook/index.ts';
import { known } from '../lib/json.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { findDaemon } from './control.ts';
import { createHookIntake, createServerApprovals } from './hook-intake.ts';
import { answerApproval, listApprovals } from './request-server.ts';
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
  if (askAtTerminal) askAboutHeld(desk, askAtTerminal);
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

function askAboutHeld(desk: PendingApprovals, askAtTerminal: TerminalPrompt): void {
  const open = new Map<string, AbortController>();
  desk.subscribe((ask) => {
    if (ask.end) return open.get(ask.id)?.abort();
    if (open.has(ask.id)) return;
    const ended = new AbortController();
    open.set(ask.id, ended);
    void askAtTerminal(ask, ended.signal)
      .then((answer) => answer && desk.answer(ask.id, answer, 'terminal'))
      .catch(reportTrouble);
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
      if (answer) await answerApproval(daemon, ask.id, answer, 'terminal');
      return;
    }
  } catch (error) {
    if (!over.aborted) reportTrouble(error);
  }
}

const LOOK_MS = 400;
