import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type PrintedRecords, type SessionId, toSessionId } from '../core/index.ts';
import { isSystemError, UserError } from '../lib/user-error.ts';
import type { AttachPlan } from './plan-attach.ts';

export interface RunContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Keeps that a session goes on from the agent. */
  noteContinued(session: SessionId): Promise<void>;
  write(text: string): void;
}

/**
 * Runs what was planned, in the folder of the agent, until it ends. A new session whose id is known is noted before it begins, any
 * other as soon as its program names it. Throws a `UserError` where the program is not there.
 */
export async function runPlan({ call, report, begins }: AttachPlan, context: RunContext): Promise<number> {
  if (!call) return 0;
  const note = async (id: string): Promise<void> => {
    if (begins) await context.noteContinued(toSessionId(begins.host, id));
  };
  if (begins?.session !== undefined) await note(begins.session);
  const { program, args, stdin, printed } = call;
  // An agent that runs us is bound by whoever started it, and cannot shake that off here.
  const env = { ...context.env, ...call.env, ...pick(context.env, 'TROUPE_PARENT') };
  const child = spawn(program, args, {
    env,
    stdio: [stdin === undefined ? 'inherit' : 'pipe', printed ? 'pipe' : 'inherit', 'inherit'],
    ...(report.command?.cwd != null && { cwd: report.command.cwd }),
  });
  // One that does not read to the end has its reasons, and its exit code tells them.
  child.stdin?.on('error', () => undefined).end(stdin);
  const read =
    printed && child.stdout
      ? readPrinted(
          child.stdout,
          printed,
          (id) => (begins?.session === undefined ? note(id) : undefined),
          context.write,
        )
      : Promise.resolve();
  const ignoreSignal = (): void => undefined;
  // Ctrl-C is for the program, which has it as well: we end when it does.
  process.on('SIGINT', ignoreSignal);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(notStarted(program, report.command?.cwd ?? null, error)));
      child.once('close', (status, signal) => resolve(status ?? (signal === 'SIGINT' ? 130 : 143)));
    });
    await read;
    return code;
  } finally {
    process.off('SIGINT', ignoreSignal);
  }
}

async function readPrinted(
  stdout: Readable,
  { sessionIn, textIn }: PrintedRecords,
  onSession: (id: string) => Promise<void> | undefined,
  write: (text: string) => void,
): Promise<void> {
  let isNamed = false;
  for await (const line of createInterface({ input: stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
    const session = isNamed ? undefined : sessionIn(line);
    if (session !== undefined) {
      isNamed = true;
      await onSession(session);
    }
    const text = textIn(line);
    if (text !== undefined) write(`${text}\n`);
  }
}

function pick(env: RunContext['env'], name: string): Readonly<Record<string, string>> {
  const value = env[name];
  return value === undefined || value === '' ? {} : { [name]: value };
}

function notStarted(program: string, cwd: string | null, error: Error): Error {
  if (!isSystemError(error)) return error;
  if (error.code === 'ENOENT')
    return new UserError(
      'attach-not-started',
      `${program} could not be started${cwd === null ? '' : ` in ${cwd}`}: the program or the folder is not there.`,
      'Put the program on your PATH, or see what would be handed over with --print.',
    );
  return new UserError(
    'attach-not-started',
    `${program} could not be started: ${error.message}`,
    'See the command with --dry-run.',
  );
}
