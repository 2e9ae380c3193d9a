import { type AgentEvent, mainAgentOf } from '../../../core/index.ts';
import { known } from '../../../lib/json.ts';
import { agentIdOf, type Door, originOf, type SessionInfo } from '../record.ts';

/** What the program calls a session until its model has found a title: says nothing. */
const UNTITLED = /^(?:New session|Child session) - \d{4}-\d\d-\d\dT/;
/** `<description> (@<agent> subagent)`. */
const OF_SUBAGENT = /^(.*) \(@(\S+) subagent\)$/s;
/** Agents that the program starts for itself. */
const INTERNAL = new Set(['compaction', 'title', 'summary']);

export function sessionFacts(info: SessionInfo, door: Door): readonly AgentEvent[] {
  const { session } = door;
  const agent = agentIdOf(info.id);
  const { createdAt: at, deniedTools } = info;
  const place = { session, origin: originOf(door, at, false) };
  const cwd = info.directory;
  if (agent === mainAgentOf(session)) {
    return [
      { kind: 'session-seen', ...place, ...known({ at, cwd, hostVersion: info.version }) },
      { kind: 'agent-seen', ...place, agent, ...known({ at, cwd, deniedTools }) },
      ...titleFact(info, door),
    ];
  }
  const [, description, byTitle] = OF_SUBAGENT.exec(info.title ?? '') ?? [];
  const type = info.agent ?? byTitle;
  const internal = type !== undefined && INTERNAL.has(type) ? type : undefined;
  return [
    {
      kind: 'agent-seen',
      ...place,
      agent,
      ...known({ at, type, description, cwd, deniedTools, internal }),
      ...(internal !== undefined && { agentKind: 'internal' }),
    },
    ...(info.parent === undefined
      ? []
      : [
          {
            kind: 'agent-linked',
            ...place,
            agent,
            evidence: 'session-record',
            parent: agentIdOf(info.parent),
          } as const,
        ]),
  ];
}

function titleFact({ title, updatedAt: at, createdAt }: SessionInfo, door: Door): readonly AgentEvent[] {
  if (title === undefined || UNTITLED.test(title)) return [];
  const place = { session: door.session, origin: originOf(door, createdAt, false) };
  return [{ kind: 'session-titled', ...place, title, titleKind: 'generated', ...known({ at }) }];
}
