import { randomBytes } from 'node:crypto';
import { nativeId } from '../core/index.ts';
import type { ControlAnswer, HookEvent } from '../hosts/index.ts';
import type { CallDecision, CallSettled, CallWaiting, SessionConfig } from './session-chunk.ts';
import type { WaitingCall } from './steer.ts';

export interface HeldCalls {
  decide(call: WaitingCall): Promise<ControlAnswer>;
  answer(id: string, decision: CallDecision): boolean;
}

const TEN_MINUTES = 600_000;

/** Calls that wait for the program that runs the session. Each ends once. */
export function createHeldCalls(
  { hold = 'questions', waitMs = TEN_MINUTES, otherwise = 'deny' }: SessionConfig,
  read: (payload: unknown) => HookEvent | undefined,
  tell: (chunk: CallWaiting | CallSettled) => void,
): HeldCalls {
  const open = new Map<string, (decision: CallDecision, by: CallSettled['by']) => void>();
  return {
    async decide(call) {
      if (!call.isQuestion && hold !== 'all') return NO_OPINION;
      if (call.isQuestion && hold === 'none') return { kind: 'deny', reason: 'Nobody is there to allow it.' };
      const id = randomBytes(8).toString('hex');
      const decision = await new Promise<CallDecision>((resolve) => {
        const settle = (said: CallDecision, by: CallSettled['by']): void => {
          if (!open.delete(id)) return;
          clearTimeout(timer);
          tell({ type: 'call_settled', at: now(), id, by });
          resolve(said);
        };
        const timer = setTimeout(() => settle(late(otherwise, waitMs), 'expiry'), waitMs);
        open.set(id, settle);
        call.signal.addEventListener('abort', () => settle({ decision: 'deny' }, 'withdrawn'));
        tell(describe(call, read(call.payload), id, waitMs));
      });
      return toAnswer(decision, call.isQuestion);
    },
    answer(id, decision) {
      const settle = open.get(id);
      settle?.(decision, 'answer');
      return settle !== undefined;
    },
  };
}

const NO_OPINION: ControlAnswer = { kind: 'printed', printed: '' };

function toAnswer(said: CallDecision, isQuestion: boolean): ControlAnswer {
  switch (said.decision) {
    case 'allow':
      return { kind: 'allow', ...(said.input !== undefined && { input: said.input }) };
    case 'deny':
      return { kind: 'deny', reason: said.reason ?? 'It was denied by the program that runs this session.' };
    case 'result':
      return { kind: 'result', text: said.text, isError: said.is_error ?? false };
    case 'none':
      return isQuestion ? { kind: 'deny', reason: 'Nobody allowed it.' } : NO_OPINION;
  }
}

function late(otherwise: 'allow' | 'deny', ms: number): CallDecision {
  if (otherwise === 'allow') return { decision: 'allow' };
  return { decision: 'deny', reason: `No answer came within ${Math.round(ms / 1_000)} s, so it is denied.` };
}

function describe(
  { call, isQuestion }: WaitingCall,
  event: HookEvent | undefined,
  id: string,
  ms: number,
): CallWaiting {
  const caller = event?.caller;
  return {
    type: 'call_waiting',
    at: now(),
    id,
    session_id: event ? nativeId(event.session) : null,
    agent_id: caller?.named === 'agent' ? nativeId(caller.agent) : null,
    agent_type: (caller?.named === 'agent' ? caller.type : undefined) ?? null,
    tool: event?.call?.tool ?? '',
    tool_id: call ?? null,
    input: event?.call?.input ?? null,
    is_question: isQuestion,
    expires_at: new Date(Date.now() + ms).toISOString(),
  };
}

function now(): string {
  return new Date().toISOString();
}
