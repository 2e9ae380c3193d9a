import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type AgentId,
  type AgentNode,
  buildTree,
  createOwnerOf,
  type IdentifiedAgent,
  type Identifier,
  type Identity,
  type IdentityEvidence,
  mainAgentOf,
  type SessionId,
  type SessionTree,
  selectAgents,
  selectAtWork,
  selectPath,
} from '../core/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { readHead } from '../lib/read-lines.ts';
import { adaptersFor } from './places.ts';
import { readSession } from './read-session.ts';

const MAIN: Identity = { who: 'main', path: [], evidence: { rank: 'none' }, candidates: [] };
const HEAD_BYTES = 64 * 1024;

/** Exact where the call is on disk or the transcript is an agent's own; otherwise what the end of the transcript shows. */
export function createIdentifier(adapters: readonly SourceAdapter[], clock: Clock): Identifier {
  return {
    async identify({ transcript, toolCall, host, asOf }) {
      if (transcript === undefined || transcript === '') return { ...MAIN, reason: 'no transcript was given' };
      // Hosts hand out links to transcripts, too.
      const file = await realpath(path.resolve(transcript)).catch(() => undefined);
      const chosen = adaptersFor(adapters, host);
      const adapter = file === undefined ? undefined : await adapterFor(chosen, file, host);
      if (file === undefined || !adapter?.identify) {
        return { ...MAIN, reason: 'the transcript is missing, empty, unreadable or of no known host' };
      }
      const { session, agent } = await adapter.identify.sessionOf(file);
      const byTail = await adapter.identify.byTail(file, asOf);
      const isAlone = session.sources.length <= 1;
      if (toolCall === undefined && agent === undefined && isAlone) return byTail;
      const ledger = await readSession(adapter, session);
      const tree = buildTree(ledger, { now: clock() });
      const call = toolCall === undefined ? undefined : ledger.calls.get(toolCall);
      const caller = call && createOwnerOf(ledger)(call.agents);
      if (caller !== undefined) return toIdentity(tree.id, tree, caller, { rank: 'exact', source: 'tool-call' });
      if (agent !== undefined) return toIdentity(tree.id, tree, agent, { rank: 'exact', source: 'own-transcript' });
      const guess = withOthersAtWork(byTail, tree);
      if (toolCall === undefined) return guess;
      // The host holds a reply's lines back until the reply has ended, so a hook may ask before its call is on disk.
      return { ...guess, reason: `the call ${toolCall} is not in any transcript of the session yet` };
    },
  };
}

/**
 * The end of the main transcript shows the calls of this turn; agents of earlier turns, woken ones and the children of
 * agents may be at work as well. One that waits for a child makes no calls.
 */
function withOthersAtWork(guess: Identity, tree: SessionTree): Identity {
  const { agent, ...rest } = guess;
  const named = guess.who === 'main' ? [{ id: mainAgentOf(tree.id) }] : agent ? [agent] : guess.candidates;
  const isNamed = ({ id, link }: AgentNode): boolean =>
    named.some((one) => one.id === id || (one.call !== undefined && one.call === link.call));
  const others = selectAtWork(selectAgents(tree)).filter((node) => node.waitingOn !== 'child' && !isNamed(node));
  if (others.length === 0) return guess;
  // Whom the tail names may only be waiting for those who are at work.
  const candidates = [...named.filter((one) => !isWaitingForChild(one, tree)), ...others.map(toIdentified)];
  const [only] = others;
  if (candidates.length === 1 && only)
    return toIdentity(tree.id, tree, only.id, { rank: 'guess', source: 'open-call' });
  const reason = 'several agents are at work; the id of the call would tell them apart';
  return { ...rest, who: 'unknown', evidence: { rank: 'none' }, candidates, reason };
}

function isWaitingForChild({ id, call }: IdentifiedAgent, tree: SessionTree): boolean {
  const node = tree.agents.find((agent) => agent.id === id || (call !== undefined && agent.link.call === call));
  return node?.kind !== 'main' && node?.waitingOn === 'child';
}

async function adapterFor(adapters: readonly SourceAdapter[], file: string, host: string | undefined) {
  try {
    // A pipe would never end.
    if (!(await stat(file)).isFile()) return undefined;
    const head = await readHead(file, HEAD_BYTES);
    for (const adapter of adapters) {
      const loaded = (await adapter.load?.()) ?? adapter;
      if (host !== undefined || loaded.sniff(head)) return loaded;
    }
    return undefined;
  } catch {
    return undefined;
  }
}

export function toIdentity(
  session: SessionId,
  tree: SessionTree | undefined,
  id: AgentId,
  evidence: IdentityEvidence,
): Identity {
  const agents = tree ? selectPath(tree, id) : [];
  const base = { session, path: agents.map((agent) => agent.id), evidence, candidates: [] };
  if (id === mainAgentOf(session)) return { ...base, who: 'main' };
  const node = agents.at(-1);
  return { ...base, who: 'subagent', agent: node ? toIdentified(node) : { id } };
}

function toIdentified({ id, type, description, link }: AgentNode): IdentifiedAgent {
  return { id, ...known({ type, description, call: link.call }) };
}
