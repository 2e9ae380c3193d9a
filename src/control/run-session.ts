import { type ChildProcess, spawn } from 'node:child_process';
import type { ControlCapability, HookEvent } from '../hosts/index.ts';
import { isObject, parseJsonBytes } from '../lib/json.ts';
import { createLineSplitter } from '../lib/lines.ts';
import { codeOf, UserError } from '../lib/user-error.ts';
import type { StreamEvent } from '../sessions/index.ts';
import { createChunkQueue } from './chunk-queue.ts';
import { createHeldCalls } from './held-calls.ts';
import type { RunningSession, SessionChunk, SessionConfig, SessionExited } from './session-chunk.ts';
import { createSteering, type Steering } from './steer.ts';

export interface SessionParts {
  readonly control: ControlCapability;
  /** What a hook would be told, in our words. */
  readonly read: (payload: unknown) => HookEvent | undefined;
  /** Makes events of what the program prints. */
  createShadow(onEvents: (events: readonly StreamEvent[]) => void): {
    push(chunk: Uint8Array): void;
    end(): Promise<unknown>;
  };
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
  const steering = steer(child, { control, plan, decide: held.decide });
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
  const ended = endOf(child, program).then(
    async (exited) => {
      steering.end();
      await shadow.end();
      queue.add(exited);
      queue.end();
      return exited;
    },
    async (error: unknown) => {
      steering.end();
      await shadow.end();
      queue.end(error);
      throw error;
    },
  );
  // Whoever reads the chunks is told; who waits for nothing but them need not ask for the end.
  ended.catch(() => {});
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

function steer(
  child: ChildProcess,
  parts: Pick<Parameters<typeof createSteering>[0], 'control' | 'plan' | 'decide'>,
): Steering {
  // It may end before it has heard everything.
  child.stdin?.on('error', () => {});
  return createSteering({
    ...parts,
    send: (text) => void child.stdin?.write(text),
    endInput: () => void child.stdin?.end(),
    print: () => {},
    onError: () => {},
  });
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
