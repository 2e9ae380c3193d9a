import path from 'node:path';
import type { SourceAdapter } from '../adapters/adapter.ts';
import type { Clock } from '../base/clock.ts';
import { known } from '../base/json.ts';
import { readHead } from '../io/read-range.ts';
import { buildTree } from '../model/build-tree.ts';
import { type AgentId, mainAgentOf, type ToolCallId } from '../model/ids.ts';
import { createOwnerOf } from '../model/owner.ts';
import type { Identifier, Identity, IdentityEvidence } from '../model/ports.ts';
import { selectPath } from '../model/select.ts';
import type { SessionTree } from '../model/tree.ts';
import { readSession } from './read-session.ts';

const MAIN: Identity = { who: 'main', path: [], evidence: { rank: 'none' }, candidates: [] };
const HEAD_BYTES = 64 * 1024;

/** Exact where the call is on disk or the transcript is an agent's own; otherwise what the end of the transcript shows. */
export function createIdentifier(adapters: readonly SourceAdapter[], clock: Clock): Identifier {
  return {
    async identify({ transcript, toolCall, host }) {
      if (transcript === undefined || transcript === '') return { ...MAIN, reason: 'no transcript was given' };
      const file = path.resolve(transcript);
      const adapter = await adapterFor(adapters, file, host);
      if (!adapter?.identify) return { ...MAIN, reason: 'the transcript is missing, empty or of no known host' };
      const { session, agent } = await adapter.identify.sessionOf(file);
      if (toolCall === undefined && agent === undefined) return adapter.identify.byTail(file);
      const ledger = await readSession(adapter, session);
      const tree = buildTree(ledger, { now: clock() });
      const call = toolCall === undefined ? undefined : ledger.calls.get(toolCall);
      const caller = call && createOwnerOf(ledger)(call.agents);
      if (caller !== undefined) return toIdentity(tree, caller, { rank: 'exact', source: 'tool-call' });
      if (agent !== undefined) return toIdentity(tree, agent, { rank: 'exact', source: 'own-transcript' });
      const guess = await adapter.identify.byTail(file);
      return { ...guess, reason: guess.reason ?? notWritten(toolCall) };
    },
  };
}

/** The host holds a reply's lines back until the reply has ended, so a hook may ask before its call is on disk. */
function notWritten(call: ToolCallId | undefined): string {
  return `the call ${call ?? ''} is not in any transcript of the session yet`;
}

async function adapterFor(adapters: readonly SourceAdapter[], file: string, host: string | undefined) {
  if (host !== undefined) return adapters.find((adapter) => adapter.host === host);
  try {
    const head = await readHead(file, HEAD_BYTES);
    return adapters.find((adapter) => adapter.sniff(head));
  } catch {
    return undefined;
  }
}

function toIdentity(tree: SessionTree, id: AgentId, evidence: IdentityEvidence): Identity {
  const session = tree.id;
  const agents = selectPath(tree, id);
  const base = { session, path: agents.map((agent) => agent.id), evidence, candidates: [] };
  if (id === mainAgentOf(session)) return { ...base, who: 'main' };
  const node = agents.at(-1);
  const { type, description } = node ?? {};
  return {
    ...base,
    who: 'subagent',
    agent: {
      id,
      ...known({ type, description }),
      ...known({ call: node?.link.call }),
    },
  };
}
