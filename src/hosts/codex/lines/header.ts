// `session_meta` and `turn_context`: whose thread it is, where it works, and with which model.

import { toSessionId } from '../../../core/index.ts';
import { asObject, asText, known } from '../../../lib/json.ts';
import { agentIdOf, atOf, HOST, type LineContext, type LineParser } from '../line-context.ts';
import type { ThreadHead } from '../thread-head.ts';

/** The thread's own header; `head` is what it says. */
export function parseHeader(head: ThreadHead, context: LineContext): void {
  const { payload } = context.record;
  const { agent, isMain, emit } = context;
  const cwd = asText(payload['cwd']);
  const branch = asText(asObject(payload['git'])?.['branch']);
  emit({ kind: 'agent-seen', agent, ...atOf(context), ...known({ cwd, branch }) });
  if (isMain) {
    const hostVersion = asText(payload['cli_version']);
    emit({ kind: 'session-seen', ...atOf(context), ...known({ cwd, branch, hostVersion }) });
    if (head.forkedFrom !== undefined)
      emit({ kind: 'session-forked', from: toSessionId(HOST, head.forkedFrom), replies: [] });
  } else introduce(head, context);
}

function introduce(head: ThreadHead, { agent, emit }: LineContext): void {
  const { role, nickname, agentPath, depth, purpose, parent } = head;
  emit({
    kind: 'agent-seen',
    agent,
    // Every agent of version 2 begins with its parent's history: there it says nothing about what it is for.
    agentKind: purpose !== undefined ? 'internal' : head.forkedFrom !== undefined && !head.isVersion2 ? 'fork' : 'task',
    // All of them run beside their parent, which waits by a call of its own if it does.
    background: false,
    ...known({
      type: role,
      // Given by whoever asked for it. The nickname is the host's own invention, and says nothing.
      name: agentPath?.split('/').at(-1) || undefined,
      slug: nickname,
      depth,
      internal: purpose,
    }),
  });
  if (parent !== undefined) emit({ kind: 'agent-linked', agent, evidence: 'own-record', parent: agentIdOf(parent) });
}

export const parseTurnContext: LineParser = (context) => {
  const { payload } = context.record;
  const { thread } = context;
  const mode = asObject(asObject(payload['collaboration_mode'])?.['settings']);
  const model = asText(payload['model']);
  if (model !== undefined) thread.model = model;
  tellNews(context, {
    cwd: asText(payload['cwd']),
    model,
    effort: asText(payload['effort']) ?? asText(mode?.['reasoning_effort']),
  });
};

interface Settings {
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly contextWindow?: number | undefined;
}

/** Settings are repeated at every turn, up to 0.10x at every request: only changes are told. */
export function tellNews(context: LineContext, settings: Settings): void {
  const { told } = context.thread;
  const news = Object.fromEntries(
    Object.entries(settings).filter(([field, value]) => value !== undefined && told.get(field) !== value),
  );
  if (Object.keys(news).length === 0) return;
  for (const [field, value] of Object.entries(news)) told.set(field, value);
  context.emit({ kind: 'agent-seen', agent: context.agent, ...atOf(context), ...news });
}
