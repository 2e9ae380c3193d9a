// Plays a recorded stream through the shadow, line by line, and says what it told of each agent.

import { readFileSync } from 'node:fs';
import type { SourceAdapter } from '../../../hosts/index.ts';
import { ADAPTERS } from '../../../hosts/testing/all-hosts.ts';
import { createShadow, type ShadowReport } from '../shadow.ts';
import { readsStreams } from '../shadowed-session.ts';
import type { StreamEvent } from '../stream-event.ts';

export interface Replayed {
  readonly events: readonly StreamEvent[];
  readonly report: ShadowReport;
}

export interface ReplayOptions {
  /** Where the session's files lie; left out: nobody looks. */
  readonly root?: string | undefined;
  /** When the recording was made, for streams whose lines tell no times. */
  readonly begin?: number | undefined;
  /** How the bytes are cut; left out: all at once. */
  readonly cut?: (bytes: Uint8Array) => Iterable<Uint8Array>;
}

export async function replayStream(file: string | Uint8Array, options: ReplayOptions = {}): Promise<Replayed> {
  const { root, begin = Date.now(), cut = (bytes) => [bytes] } = options;
  const bytes = typeof file === 'string' ? readFileSync(file) : file;
  const offset = begin - Date.now();
  const events: StreamEvent[] = [];
  const errors: unknown[] = [];
  const shadow = createShadow({
    adapters: ADAPTERS.filter(readsStreams),
    clock: () => Date.now() + offset,
    placesOf: (host) => (root === undefined ? [] : placesIn(root, host)),
    onEvents: (news) => events.push(...news),
    onError: (error) => errors.push(error),
  });
  for (const chunk of cut(bytes)) shadow.push(chunk);
  const report = await shadow.end();
  if (errors.length > 0) throw errors[0];
  return { events, report };
}

function placesIn(root: string, host: string) {
  const adapter = ADAPTERS.find((one: SourceAdapter) => one.host === host);
  return adapter ? [{ adapter, root, forced: false }] : [];
}

export interface NamedAgent {
  readonly id: string | null;
  readonly call: string | null;
  readonly parent: string | null;
  readonly depth: number | null;
  readonly prompt: string | null;
  readonly description: string | null;
  readonly type: string | null;
  readonly ends: readonly string[];
  readonly isTidy: boolean;
}

/** Each agent with how its runs ended, in the order in which they began. `isTidy`: begun first, every run ended once, nothing behind. */
export function agentsTold(events: readonly StreamEvent[]): readonly NamedAgent[] {
  const agents: (NamedAgent & { ends: string[]; begun: number; isTidy: boolean; id: string | null })[] = [];
  for (const event of events) {
    if (!('parent_tool_id' in event)) continue;
    if (event.type === 'subagent_spawned') {
      agents.push({
        id: event.agent_id,
        call: event.parent_tool_id,
        parent: event.parent_agent_id,
        depth: event.depth,
        prompt: event.prompt,
        description: event.description,
        type: event.subagent_type,
        ends: [],
        begun: 1,
        isTidy: true,
      });
      continue;
    }
    const one =
      agents.find(({ id }) => id !== null && id === event.agent_id) ??
      agents.find(({ id, call }) => id === null && call !== null && call === event.parent_tool_id);
    if (!one) throw new Error(`an event of an agent that never began: ${JSON.stringify(event)}`);
    if (event.type === 'subagent_identified') one.id = event.agent_id;
    else if (event.type === 'subagent_resumed') one.begun++;
    else if (event.type === 'subagent_progress') one.isTidy &&= one.ends.length === one.begun - 1;
    else {
      one.ends.push(event.type.replace('subagent_', ''));
      one.isTidy &&= one.ends.length === one.begun && event.run === one.begun;
    }
  }
  return agents.map(({ begun, ...agent }) => ({ ...agent, isTidy: agent.isTidy && agent.ends.length === begun }));
}
