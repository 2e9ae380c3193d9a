import { describe, expect, it } from 'vitest';
import { type AgentEvent, buildTree, type SessionTree, selectAgents } from '../../core/index.ts';
import type { LocatedSession, SourceAdapter } from '../index.ts';
import { eventsOf, type Fed, feedOf, ledgerOf, MUCH_LATER } from './feed.ts';

/** A recording that shows the behaviour (a data folder of the host), or why this host has none. */
type Shown = { readonly folder: string } | { readonly skip: string };

/** Every adapter runs this suite; a host that cannot do a thing says why. */
export interface Conformance {
  readonly adapter: SourceAdapter;
  /** A session with one sub-agent that came to a good end. */
  readonly single: string;
  readonly twoAtOnce: Shown;
  readonly nested: Shown;
  readonly resumed: Shown;
  readonly noEnd: Shown;
  readonly failed: Shown;
  readonly background: Shown;
  /** A session without the file of its main agent. */
  readonly mainIsGone: { readonly firstSourceOfSingle: true } | { readonly skip: string };
}

export function describeConformance(suite: Conformance): void {
  const { adapter } = suite;
  describe(`conformance of ${adapter.title}`, () => {
    shown('two children at once', suite.twoAtOnce, (tree) => {
      const main = tree.agents[0];
      expect(tree.agents.filter((agent) => agent.link.parent === main?.id).length).toBeGreaterThanOrEqual(2);
    });
    shown('nested children', suite.nested, (tree) => {
      expect(Math.max(...tree.agents.map((agent) => agent.depth ?? 0))).toBeGreaterThanOrEqual(2);
    });
    shown('a resumed agent is one agent with several runs', suite.resumed, (tree) => {
      expect(Math.max(...tree.agents.map((agent) => agent.runs.length))).toBeGreaterThanOrEqual(2);
    });
    shown('no end was seen: unknown, not running', suite.noEnd, (tree) => {
      expect(tree.agents.some((agent) => agent.kind !== 'main' && agent.status === 'unknown')).toBe(true);
      expect(tree.agents.every((agent) => agent.status !== 'running')).toBe(true);
    });
    shown('a failed agent', suite.failed, (tree) => {
      expect(tree.agents.some((agent) => agent.status === 'failed')).toBe(true);
    });
    shown('an agent in the background comes to its own end', suite.background, (tree) => {
      const agent = tree.agents.find((one) => one.background);
      expect(agent?.status).toBe('completed');
      expect(agent?.runs.at(-1)?.signal).not.toBe('result');
    });

    it('an empty file is an empty session', async () => {
      const session = await open(adapter, suite.single);
      const tree = feed(
        session,
        (await feedOf(adapter, session)).map((fed) => ({
          ...fed,
          bytes: new Uint8Array(),
          ...(fed.facts && { facts: [] }),
        })),
      );
      expect(tree.agents).toHaveLength(1);
      expect(tree.agents[0]?.status).toBe('unknown');
    });
    it('a torn last line costs that line only', async () => {
      const session = await open(adapter, suite.single);
      const whole = feed(session, await feedOf(adapter, session));
      const torn = feed(
        session,
        (await feedOf(adapter, session)).map((fed) =>
          isLines(fed) ? { ...fed, bytes: fed.bytes.slice(0, -20) } : fed,
        ),
      );
      expect(torn.agents.map(({ id }) => id)).toEqual(whole.agents.map(({ id }) => id));
      expect(torn.diagnostics.find(({ code }) => code === 'torn-line')?.count).toBe(
        (await feedOf(adapter, session)).filter(isLines).length,
      );
    });
    it('garbage between good lines is counted and passed over', async () => {
      const session = await open(adapter, suite.single);
      const damaged = (await feedOf(adapter, session)).map((fed) =>
        isLines(fed) ? { ...fed, bytes: withGarbage(fed.bytes) } : fed,
      );
      const tree = feed(session, damaged);
      expect(withoutDiagnostics(tree)).toEqual(withoutDiagnostics(feed(session, await feedOf(adapter, session))));
      const files = (await feedOf(adapter, session)).filter(isLines).length;
      expect(tree.diagnostics.find(({ code }) => code === 'invalid-json')?.count).toBe(files);
      expect(tree.diagnostics.find(({ code }) => code === 'unknown-record')?.count).toBeGreaterThanOrEqual(files);
    });
    it('children before parents, and everything twice, change nothing', async () => {
      const session = await open(adapter, suite.single);
      const fed = await feedOf(adapter, session);
      expect(feed(session, [...fed].reverse())).toEqual(feed(session, fed));
      expect(feed(session, [...fed, ...fed])).toEqual(feed(session, fed));
    });
    const { mainIsGone } = suite;
    if ('skip' in mainIsGone) it.skip(`a parent that was never seen loses no agent (${mainIsGone.skip})`, () => {});
    else
      it('a parent that was never seen loses no agent', async () => {
        const session = await open(adapter, suite.single);
        const [, ...others] = await feedOf(adapter, session);
        expect(feed(session, others).agents.length).toBe(feed(session, await feedOf(adapter, session)).agents.length);
      });

    function shown(behaviour: string, how: Shown, check: (tree: SessionTree) => void): void {
      if ('skip' in how) it.skip(`${behaviour} (${how.skip})`, () => {});
      else
        it(behaviour, async () => {
          const session = await open(adapter, how.folder);
          const tree = feed(session, await feedOf(adapter, session));
          check({ ...tree, agents: selectAgents(tree) });
        });
    }

    function feed(session: LocatedSession, fed: readonly Fed[]): SessionTree {
      const events: AgentEvent[] = fed.flatMap((one) => eventsOf(adapter, session, one));
      return buildTree(ledgerOf(session, events), { now: MUCH_LATER });
    }
  });
}

async function open(adapter: SourceAdapter, folder: string): Promise<LocatedSession> {
  const { sessions } = await adapter.locate(folder);
  const session = sessions[0];
  if (!session) throw new Error(`no session in ${folder}`);
  return session;
}

function isLines({ source }: Fed): boolean {
  return source.shape === 'lines';
}

/** Behind the first line: half a record, and a record of a kind that does not exist yet. */
function withGarbage(bytes: Uint8Array): Uint8Array {
  const at = bytes.indexOf(10) + 1;
  const garbage = new TextEncoder().encode('{"type":"user","mess\n{"type":"from-the-future","sessionId":"x"}\n');
  return new Uint8Array([...bytes.subarray(0, at), ...garbage, ...bytes.subarray(at)]);
}

function withoutDiagnostics({ agents, title, cwd }: SessionTree): unknown {
  return { title, cwd, agents: agents.map(({ changes, ...agent }) => ({ ...agent, changes: changes.length })) };
}
