// What our plugin hands over (`plugin-text.ts`): the words of OpenCode, and the sessions above the one that calls.

import path from 'node:path';
import { toToolCallId } from '../../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, known } from '../../../lib/json.ts';
import type { CallerChain, CallingAgent, HookCall, HookEvent } from '../../index.ts';
import { agentIdOf, HOST, heardAs, sessionIdOf } from '../record.ts';
import { subjectOf, TASK } from '../tools.ts';
import { toGuarded } from './guarded-tools.ts';

/** In front of a tool call. */
export const BEFORE_CALL = 'tool.execute.before';
/** The program asks its person for a permission. */
export const ASKED = 'permission.asked';
export const REPLIED = 'permission.replied';
/** The same, put to us: whoever answers it, answers the program. */
export const QUESTION = 'permission.question';

/** A session of the program, as its record says. */
interface LineRecord {
  readonly id: string;
  readonly parent?: string;
  readonly agent?: string;
  readonly directory?: string;
}

export function readPayload(payload: unknown): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const name = asText(payload['hook']);
  const session = asText(payload['session']);
  if (name === undefined || session === undefined) return undefined;
  const line = lineIn(payload, session);
  const [own] = line;
  const main = line.at(-1)?.id ?? session;
  return {
    host: HOST,
    name,
    session: sessionIdOf(main),
    caller:
      session === main && own?.parent === undefined
        ? { named: 'nobody' }
        : { named: 'agent', agent: agentIdOf(session), ...known({ type: own?.agent }) },
    ...known({
      cwd: folderOf(payload),
      call: name === BEFORE_CALL || name === QUESTION ? callIn(payload, session) : undefined,
      question: name === QUESTION ? questionIn(payload) : undefined,
      questionId: name === QUESTION ? asText(asObject(payload['permission'])?.['id']) : undefined,
    }),
  };
}

/** By the records that the program itself gave for the session and for all above it. */
export function callerOf(payload: unknown): CallerChain {
  const session = isObject(payload) ? asText(payload['session']) : undefined;
  if (!isObject(payload) || session === undefined)
    return { agent: null, ancestors: [], reason: 'the hook was told nothing' };
  const line = lineIn(payload, session);
  const isWhole = line.length > 0 && line.at(-1)?.parent === undefined;
  const project = (isWhole ? line.at(-1)?.directory : undefined) ?? asText(payload['directory']);
  const place = known({ project });
  if (line.length === 0)
    return { agent: null, ancestors: [], reason: 'the program does not know its own session', ...place };
  const [agent = null, ...above] = line.map((record, at) => toAgent(record, isWhole ? line.length - 1 - at : null));
  const reason = isWhole ? undefined : 'not all agents above it are known';
  return { agent, ancestors: above.reverse(), ...known({ reason }), ...place };
}

function toAgent({ id, agent, parent }: LineRecord, depth: number | null): CallingAgent {
  const isMain = parent === undefined;
  return { id, kind: isMain ? 'main' : 'task', type: isMain ? null : (agent ?? null), name: null, depth };
}

const OF_SUBAGENT = / \(@(\S+) subagent\)$/;

/** The session first, main last; it ends before the first one that nobody knows. */
function lineIn(payload: JsonObject, session: string): readonly LineRecord[] {
  const given = Array.isArray(payload['line']) ? payload['line'] : [];
  const line: LineRecord[] = [];
  let wanted: string | undefined = session;
  for (const raw of given.map(asObject)) {
    if (!raw || wanted === undefined || raw['id'] !== wanted) break;
    const parent = asText(raw['parent']);
    const agent = asText(raw['agent']) ?? OF_SUBAGENT.exec(asText(raw['title']) ?? '')?.[1];
    line.push({ id: wanted, ...known({ parent, agent, directory: asText(raw['directory']) }) });
    wanted = line.some(({ id }) => id === parent) ? undefined : parent;
  }
  return line;
}

/** `bash` may be told to run elsewhere. */
function folderOf(payload: JsonObject): string | undefined {
  const folder = asText(payload['directory']);
  const other = payload['tool'] === 'bash' ? asText(asObject(payload['args'])?.['workdir']) : undefined;
  return folder === undefined || other === undefined ? folder : path.resolve(folder, other);
}

function callIn(payload: JsonObject, session: string): HookCall | undefined {
  const tool = asText(payload['tool']);
  if (tool === undefined) return undefined;
  const servers = Array.isArray(payload['servers']) ? payload['servers'].flatMap((name) => asText(name) ?? []) : [];
  const args = payload['args'];
  const call = asText(payload['call']);
  return {
    ...toGuarded(tool, args, servers),
    spawns: tool === TASK,
    ...known({
      subject: subjectOf(tool, asObject(args)),
      id: call === undefined ? undefined : toToolCallId(heardAs(session, call)),
    }),
  };
}

function questionIn(payload: JsonObject): string {
  const asked = asObject(payload['permission']);
  const patterns = Array.isArray(asked?.['patterns']) ? asked['patterns'].flatMap((one) => asText(one) ?? []) : [];
  const what = [asText(asked?.['permission']) ?? 'a permission', ...patterns].join(' ');
  return `OpenCode asks for a permission: ${what}`;
}
