import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { nativeId } from '../core/index.ts';
import type { ControlAnswer, ControlCapability, HookEvent } from '../hosts/index.ts';
import { isObject, parseJsonBytes } from '../lib/json.ts';
import { createLineSplitter } from '../lib/lines.ts';
import { codeOf, UserError } from '../lib/user-error.ts';
import type { Shadow, StreamEvent } from '../sessions/index.ts';
import type {
  CallDecision,
  CallSettled,
  CallWaiting,
  RunningSession,
  SessionChunk,
  SessionConfig,
  SessionExited,
} from './session-chunk.ts';
import { steerChild, type WaitingCall } from './steer.ts';

interface SessionParts {
  readonly control: ControlCapability;
  /** What a hook would be told, in our words. */
  readonly read: (payload: unknown) => HookEvent | undefined;
  /** Makes events of what the program prints. */
  createShadow(onEvents: (events: readonly StreamEvent[]) => void): Pick<Shadow, 'push' | 'end'>;
}

type Started = SessionConfig & { readonly command: readonly [string, ...string[]] };

/** So long the program may take to end by itself once its input has, and so long again by a signal. */
const GRACE_MS = 2_000;

export function startSession(config: Started, { control, read, createShadow }: SessionParts): RunningSession {
  const [program, ...args] = config.command;
  const plan = control.plan(control.withLines(args));
  const child = spawn(program, plan.args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(config.cwd !== undefined && { cwd: config.cwd }),
    ...(config.env && { env: { ...config.env } }),
  });
  const queue = createChunkQueue<SessionChunk>(() => void close());
  const shadow = createShadow((events) => queue.add(...events));
  const held = createHeldCalls(config, read, (chunk) => queue.add(chunk));
  const steering = steerChild(child, { control, plan, decide: held.decide, print: () => {}, onError: () => {} });
  const texts = createLineSplitter();
  child.stdout?.on('data', (chunk: Buffer) => {
    for (const { bytes } of texts.push(chunk)) {
      const line = parseJsonBytes(bytes);
      const said = isObject(line) ? control.textIn(line) : undefined;
      if (said) queue.add({ type: 'agent_text', at: now(), text: said.text, parent_tool_id: said.parent ?? null });
    }
    shadow.push(chunk);
    steering.push(chunk);
  });
  const ended = endOf(child, program)
    .finally(() => {
      steering.end();
      return shadow.end();
    })
    .then((exited) => {
      queue.add(exited);
      queue.end();
      return exited;
    });
  // Whoever reads the chunks is told; who waits for nothing but them need not ask for the end.
  ended.catch((error: unknown) => queue.end(error));
  const close = (): Promise<SessionExited> => {
    child.stdin?.end();
    const timers = (['SIGTERM', 'SIGKILL'] as const).map((signal, index) =>
      setTimeout(() => child.kill(signal), GRACE_MS * (index + 1)),
    );
    return ended.finally(() => timers.forEach(clearTimeout));
  };
  const send = (message: string): void => {
    steering.say(message);
    if (!config.keepOpen) steering.finishInput();
  };
  const prompt = config.prompt ?? plan.prompt;
  if (prompt !== undefined) send(prompt);
  return {
    send,
    tell: (agent, message) => steering.tellAgent(agent, message),
    stop: (agent) => steering.stopAgent(agent),
    answer: held.answer,
    interrupt: () => steering.interrupt(),
    close,
    [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator](),
  };
}

function endOf(child: ChildProcess, program: string): Promise<SessionExited> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      const why = codeOf(error) === 'ENOENT' ? 'there is no such program' : error.message;
      const remedy = 'Give its path in `command` where it is not on the PATH.';
      reject(new UserError('not-started', `«${program}» did not start: ${why}.`, remedy, { cause: error }));
    });
    child.once('close', (code, signal) => resolve({ type: 'session_exited', at: now(), code, signal }));
  });
}

function now(): string {
  return new Date().toISOString();
}

const TEN_MINUTES = 600_000;

/** Calls that wait for the program that runs the session. Each ends once. */
function createHeldCalls(
  { hold = 'questions', waitMs = TEN_MINUTES, otherwise = 'deny' }: SessionConfig,
  read: (payload: unknown) => HookEvent | undefined,
  tell: (chunk: CallWaiting | CallSettled) => void,
) {
  const open = new Map<string, (decision: CallDecision, by: CallSettled['by']) => void>();
  return {
    async decide(call: WaitingCall): Promise<ControlAnswer> {
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
    answer(id: string, decision: CallDecision): boolean {
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

/** What comes faster than it is taken, in order, for one reader. `onLeft`: the reader has gone before the end. */
export function createChunkQueue<T>(onLeft: () => void) {
  const waiting: T[] = [];
  let isOver = false;
  let failure: unknown;
  let wake = (): void => {};
  return {
    add(...chunks: readonly T[]): void {
      waiting.push(...chunks);
      wake();
    },
    /** Nothing more comes; with an error, that is thrown behind the last one. */
    end(error?: unknown): void {
      isOver = true;
      failure = error;
      wake();
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<T> {
      try {
        for (;;) {
          const chunk = waiting.shift();
          if (chunk !== undefined) yield chunk;
          else if (isOver) break;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        if (!isOver) onLeft();
      }
      if (failure !== undefined) throw failure;
    },
  };
}
