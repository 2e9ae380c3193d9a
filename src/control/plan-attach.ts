import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import {
  type AgentId,
  type AgentNode,
  type AgentToResume,
  type AttachOptions,
  type AttachReport,
  formatStartedBy,
  hostOf,
  isAtWork,
  labelOf,
  mainAgentOf,
  nativeId,
  type OpenedTranscript,
  type PrintedRecords,
  type ProgramCall,
  type ResumeOptions,
  type ResumePlan,
  type SessionId,
  type SessionTree,
  toSessionId,
} from '../core/index.ts';
import type { Machine, SourceAdapter } from '../hosts/index.ts';
import { known } from '../lib/json.ts';
import { assertFound, isSystemError, UserError } from '../lib/user-error.ts';
import type { Redactor } from '../redact/index.ts';
import { writeHandover } from './handover.ts';

export interface AttachPlan {
  readonly report: AttachReport;
  readonly session: SessionId;
  readonly agent: AgentId;
  /** Left out where nothing is started. */
  readonly call?: ProgramCall;
  /** For what is kept of a new session: the host that it is of. */
  readonly begins?: { readonly host: string; readonly session?: string };
}

export interface HostProgram {
  readonly program: string;
  readonly version?: string;
}

export interface PlanContext {
  readonly adapters: readonly SourceAdapter[];
  readonly machine: Machine;
  /** The host's program on this machine; undefined where it is not there, or nobody may look. */
  findProgram(adapter: SourceAdapter): Promise<HostProgram | undefined>;
  createRedactor(): Promise<Redactor>;
  newId(): string;
}

/** Ids stand in files that anybody may have written: what begins like a flag, or has blanks in it, is no word of a command. */
const PLAIN_ID = /^\w[\w.@-]*$/;

/** More does not go into one argument of a program on every system. */
const MOST_TOKENS = 30_000;

/** The best true way to go on from an agent, and all that belongs to it. Nothing is started, and nothing written. */
export async function planAttach(
  opened: OpenedTranscript,
  wish: AttachOptions,
  context: PlanContext,
): Promise<AttachPlan> {
  const { tree, agent: id } = opened;
  const node = assertFound(
    tree.agents.find((one) => one.id === id),
    `an opened transcript of an agent that is not in its tree: ${id}`,
  );
  const own = adapterOf(context, hostOf(tree.id));
  const target = wish.host === undefined ? own : adapterOf(context, wish.host);
  const hosts = context.adapters.flatMap(({ host, title, resume }) => (resume ? [{ host, title }] : []));
  const isForHost = wish.host === undefined || wish.host === own.host;
  if (isAtWork(node.status) && isForHost && !wish.fork) {
    if (wish.message === undefined) return followed(opened, node, hosts);
    if (node.waitingOn !== 'input') throw atWork(node);
  }
  const { resume: continuing } = target;
  if (!continuing)
    throw new UserError(
      'attach-no-way',
      `${target.title} has no way to begin a session that troupe knows.`,
      'Name another host with --host.',
    );
  const found = await context.findProgram(target);
  const version = found?.version ?? (target === own ? tree.hostVersion : undefined);
  const ask: ResumeOptions = { fork: wish.fork, newSession: context.newId(), ...known({ message: wish.message }) };
  const isNamed = [tree.id, id].every((one) => PLAIN_ID.test(nativeId(one)));
  const taken = !isNamed
    ? { whyNot: 'its id is none that could be given to a program.' }
    : isForHost
      ? continuing.planResume(toContinue(opened, node, version, own, context.machine), ask)
      : { whyNot: `${target.title} cannot open a conversation of ${own.title}.` };
  const as = { target, hosts, program: found?.program };
  if (!('whyNot' in taken)) return planned(opened, node, taken, { ...as, text: wish.message, reasons: [] });
  const handed = await handOver(opened, node, own, wish, context);
  const plan = continuing.begin(handed.text, ask, version);
  const reasons = [isForHost ? `${own.title} does not go on with the agent itself: ${taken.whyNot}` : taken.whyNot];
  return planned(opened, node, plan, { ...as, ...handed, reasons });
}

function followed({ tree, agent }: OpenedTranscript, node: AgentNode, hosts: AttachReport['hosts']): AttachPlan {
  const words = 'It is at work: what it says and does is shown as it comes.';
  return {
    session: tree.id,
    agent,
    report: {
      agent: describe(tree, node),
      ...{ way: 'follow', words, limits: [], reasons: [], host: hostOf(tree.id), hosts, command: null },
      ...{ text: null, tokens: 0, leftOut: [], redacted: [], begins: null },
    },
  };
}

function atWork(node: AgentNode): UserError {
  const id = nativeId(node.id);
  return new UserError(
    'attach-at-work',
    `«${labelOf(node)}» is at work, and its conversation cannot be gone on with by two at once.`,
    `Follow it with: troupe attach ${id}. Tell it something with: troupe send ${id} "…". Go on in a copy with: --fork`,
  );
}

interface Handed {
  readonly target: SourceAdapter;
  readonly hosts: AttachReport['hosts'];
  readonly program: string | undefined;
  readonly text: string | undefined;
  readonly tokens?: number;
  readonly leftOut?: readonly string[];
  readonly redacted?: AttachReport['redacted'];
  readonly reasons: readonly string[];
}

function planned(
  { tree, agent }: OpenedTranscript,
  node: AgentNode,
  plan: ResumePlan,
  { target, ...handed }: Handed,
): AttachPlan {
  const { way, words, limits, begins } = plan;
  const parent = begins ? formatStartedBy(tree.id, agent) : undefined;
  const env = { ...plan.call.env, ...known({ TROUPE_PARENT: parent }) } as Readonly<Record<string, string>>;
  const { args, stdin } = plan.call;
  const program = handed.program ?? plan.call.program;
  const text = stdin ?? handed.text ?? null;
  return {
    session: tree.id,
    agent,
    call: { ...plan.call, program, env },
    ...(begins && { begins: { host: target.host, ...begins } }),
    report: {
      agent: describe(tree, node),
      ...{ way, words, limits, reasons: handed.reasons, host: target.host, hosts: handed.hosts },
      command: { program, args, env, cwd: node.cwd ?? tree.cwd ?? null, takesText: stdin !== undefined },
      ...{ text, tokens: handed.tokens ?? 0, leftOut: handed.leftOut ?? [], redacted: handed.redacted ?? [] },
      begins: begins ? { sessionId: begins.session ?? null } : null,
    },
  };
}

/** Two passes, as an export: what is known to be a secret in one place is taken out everywhere. */
async function handOver(
  { transcript, tree }: OpenedTranscript,
  node: AgentNode,
  own: SourceAdapter,
  { budget, message }: AttachOptions,
  { createRedactor }: PlanContext,
) {
  const redactor = await createRedactor();
  const agent = {
    hostTitle: tree.hostVersion === undefined ? own.title : `${own.title} ${tree.hostVersion}`,
    path: pathTo(tree, node).map(labelOf),
    status: node.status,
    ...known({ type: node.type, cwd: node.cwd ?? tree.cwd, branch: node.branch ?? tree.branch }),
  };
  redactor.scan(transcript);
  redactor.scan(agent);
  const clean = redactor.redactValue(transcript);
  const about = redactor.redactValue(agent);
  const handover = writeHandover(clean, about, { budget: Math.min(budget, MOST_TOKENS), ...known({ message }) });
  const counts = new Map<string, number>();
  for (const { what, count } of redactor.findings()) counts.set(what, (counts.get(what) ?? 0) + count);
  return { ...handover, redacted: [...counts].map(([what, count]) => ({ what, count })) };
}

function toContinue(
  { tree, agent, transcript, root }: OpenedTranscript,
  node: AgentNode,
  version: string | undefined,
  adapter: SourceAdapter,
  machine: Machine,
): AgentToResume {
  const main = tree.agents.find(({ id }) => id === mainAgentOf(tree.id));
  return {
    session: nativeId(tree.id),
    agent: nativeId(agent),
    isMain: agent === mainAgentOf(tree.id),
    hasTranscript: transcript.known_from === 'transcript',
    isSessionOpen: main !== undefined && isAtWork(main.status),
    isAtHome: adapter.roots(machine).includes(root),
    ...known({ type: node.type, version }),
  };
}

function describe(tree: SessionTree, node: AgentNode): AttachReport['agent'] {
  const [host, sessionId] = [hostOf(tree.id), nativeId(tree.id)];
  return { id: nativeId(node.id), sessionId, host, label: labelOf(node), status: node.status };
}

/** Main first. */
function pathTo(tree: SessionTree, node: AgentNode): readonly AgentNode[] {
  const path = [node];
  for (let at = node.link.parent; at !== undefined; at = path[0]?.link.parent) {
    const parent = tree.agents.find(({ id }) => id === at);
    if (!parent || path.includes(parent)) break;
    path.unshift(parent);
  }
  return path;
}

function adapterOf({ adapters }: PlanContext, host: string): SourceAdapter {
  const found = adapters.find((adapter) => adapter.host === host);
  if (found) return found;
  const all = adapters.map((adapter) => adapter.host).join(', ');
  throw new UserError('unknown-host', `troupe does not know the host «${host}».`, `Known: ${all}`);
}

interface RunContext {
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
  const { TROUPE_PARENT } = context.env;
  const env = { ...context.env, ...call.env, ...(TROUPE_PARENT && { TROUPE_PARENT }) };
  const child = spawn(program, args, {
    env,
    stdio: [stdin === undefined ? 'inherit' : 'pipe', printed ? 'pipe' : 'inherit', 'inherit'],
    ...(report.command?.cwd != null && { cwd: report.command.cwd }),
  });
  // One that does not read to the end has its reasons, and its exit code tells them.
  child.stdin?.on('error', () => undefined).end(stdin);
  const onSession = async (id: string): Promise<void> => {
    if (begins?.session === undefined) await note(id);
  };
  const read = printed && child.stdout && readPrinted(child.stdout, printed, onSession, context.write);
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
  onSession: (id: string) => Promise<void>,
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

function notStarted(program: string, cwd: string | null, error: Error): Error {
  if (!isSystemError(error)) return error;
  const [what, remedy] =
    error.code === 'ENOENT'
      ? [
          `${cwd === null ? '' : ` in ${cwd}`}: the program or the folder is not there.`,
          'Put the program on your PATH, or see what would be handed over with --print.',
        ]
      : [`: ${error.message}`, 'See the command with --dry-run.'];
  return new UserError('attach-not-started', `${program} could not be started${what}`, remedy);
}
