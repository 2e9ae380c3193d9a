// What these hosts hand to a hook: the names are Claude Code's, the session and the transcript are always the main agent's.

import path from 'node:path';
import { type SessionId, toSessionId, toToolCallId } from '../../../core/index.ts';
import { asObject, asText, isObject, type JsonObject, known } from '../../../lib/json.ts';
import type { HookCall, HookCaller, HookEvent, SampleCall } from '../../index.ts';
import type { Told } from '../hook-records.ts';
import { toGuarded } from './guarded-tools.ts';
import { subjectOf } from './tools.ts';

/** The last event of a session. */
export const ENDS = 'SessionEnd';

interface PayloadForm {
  readonly host: string;
  /** The event in front of a tool call. */
  readonly beforeCalls: string;
  /** Tools that make agents. */
  readonly spawning: ReadonlySet<string>;
  callerIn(payload: JsonObject, session: SessionId): HookCaller;
  /** The name that rules use for a tool of an MCP server, if the payload says so; otherwise its own name decides. */
  serverTool?(payload: JsonObject, tool: string): string | undefined;
  /** The field with the transcript's id of the call; left out: no version has one. */
  readonly idField?: string;
}

export function readHookPayload(payload: unknown, form: PayloadForm): HookEvent | undefined {
  if (!isObject(payload)) return undefined;
  const name = asText(payload['hook_event_name']);
  const native = asText(payload['session_id']);
  if (name === undefined || native === undefined) return undefined;
  const call = name === form.beforeCalls ? callIn(payload, form) : undefined;
  // A call of which nobody can say what it is must not pass for no call.
  if (name === form.beforeCalls && !call) return undefined;
  const session = toSessionId(form.host, native);
  return {
    host: form.host,
    name,
    session,
    caller: form.callerIn(payload, session),
    ...known({
      transcript: asText(payload['transcript_path']),
      cwd: folderOf(payload),
      call,
    }),
  };
}

function callIn(payload: JsonObject, { host, spawning, serverTool, idField }: PayloadForm): HookCall | undefined {
  const tool = asText(payload['tool_name']);
  if (tool === undefined) return undefined;
  const { tool_input: input = null } = payload;
  const ofServer = serverTool?.(payload, tool);
  const id = asText(idField && payload[idField]);
  return {
    ...(ofServer === undefined ? toGuarded(host, tool, input) : { tool: ofServer, input }),
    spawns: spawning.has(tool),
    ...known({
      subject: subjectOf(tool, asObject(input) ?? {}),
      id: id === undefined ? undefined : toToolCallId(id),
    }),
  };
}

/** The folder of a call: the session's, or the one that a command names. */
function folderOf(payload: JsonObject): string | undefined {
  const cwd = asText(payload['cwd']);
  const runs = payload['tool_name'] === 'run_shell_command' || payload['tool_name'] === 'monitor';
  const input = runs ? asObject(payload['tool_input']) : undefined;
  const other = asText(input?.['dir_path']) ?? asText(input?.['directory']);
  return cwd === undefined || other === undefined ? cwd : path.resolve(cwd, other);
}

/** All that is kept of a payload: the files of these hosts have the rest. */
export function keepEnd(payload: unknown): Told | undefined {
  return isObject(payload) && payload['hook_event_name'] === ENDS ? { closes: true } : undefined;
}

export function samplePayload(event: string, { session, transcript, call }: SampleCall) {
  return {
    session_id: session,
    transcript_path: transcript,
    cwd: '/',
    hook_event_name: event,
    timestamp: new Date().toISOString(),
    tool_name: 'run_shell_command',
    tool_input: { command: `true # ${call}`, description: 'troupe doctor tries out its hooks' },
  };
}
