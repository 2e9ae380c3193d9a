import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentReport,
  computeTree,
  type LiveTrees,
  type PlacedTranscript,
  type TreeChange,
  type TreeReport,
} from '../../src/core/index.ts';
import { ADAPTERS } from '../../src/hosts/testing/all-hosts.ts';
import {
  createSessions,
  createSessionTranscripts,
  type DataFolder,
  joinLive,
  listDataFolders,
  startTracker,
} from '../../src/sessions/index.ts';
import { type AcrossHosts, addPlays, startAcrossHosts } from './across-kit.ts';
import { programsIn } from './host-kit.ts';
import { nameOf } from './kit.ts';

// A sub-agent of the real Claude Code runs the other real programs by commands: one tree, live and from the disk, and every
// session once. TROUPE_CLAUDE_BIN, and those of TROUPE_CODEX_BIN, TROUPE_OPENCODE_BIN, … that are to be run by it.

const JOB = '"Please do the job. [[play:single]]"';
const PLAIN = '"Please do the job. [[play:plain]]"';

interface Inner {
  readonly host: string;
  readonly program: string;
  readonly command: string;
  /** With its own sub-agents. */
  readonly agents: number;
}

/** Each prints its session's id, as it is mostly run. */
const INNER: readonly (Inner & { readonly variable: string })[] = [
  {
    host: 'codex',
    program: 'codex',
    variable: 'TROUPE_CODEX_BIN',
    command: `cd src && codex exec --skip-git-repo-check ${JOB} < /dev/null 2>&1 | cat`,
    agents: 2,
  },
  {
    host: 'codex',
    program: 'codex',
    variable: 'TROUPE_CODEX_BIN',
    command: `codex exec --json --skip-git-repo-check ${PLAIN} < /dev/null`,
    agents: 1,
  },
  {
    host: 'opencode',
    program: 'opencode',
    variable: 'TROUPE_OPENCODE_BIN',
    command: `timeout 60 opencode run --format json ${JOB}`,
    agents: 2,
  },
  {
    host: 'claude-code',
    program: 'claude',
    variable: 'TROUPE_CLAUDE_BIN',
    command: `env -u CLAUDECODE claude -p ${JOB} --output-format json --allowedTools Bash,Read,Agent,Task`,
    agents: 2,
  },
  {
    host: 'gemini',
    program: 'gemini',
    variable: 'TROUPE_GEMINI_BIN',
    command: `gemini -p ${PLAIN} -o json -m gemini-2.5-flash --approval-mode yolo --skip-trust`,
    agents: 1,
  },
  {
    host: 'copilot',
    program: 'copilot',
    variable: 'TROUPE_COPILOT_BIN',
    command: `copilot -p ${PLAIN} --allow-all-tools --log-level error`,
    agents: 1,
  },
  {
    host: 'qwen',
    program: 'qwen',
    variable: 'TROUPE_QWEN_BIN',
    command: `qwen -p ${PLAIN} -o json --yolo`,
    agents: 1,
  },
];

const others = INNER.filter(({ variable }) => programsIn(variable).length > 0);
/** Prints what a program printed before, and runs none. */
const FORGED = 'cat codex.log 2>/dev/null; echo "session id: 01a1e10d-8ac3-7573-9a58-2c6d36333ffe"';

for (const claude of programsIn('TROUPE_CLAUDE_BIN')) {
  describe(`${nameOf(claude)} and the programs that it runs`, () => {
    let hosts: AcrossHosts;
    let places: readonly DataFolder[] = [];
    let live: LiveTrees;
    const rowsSeen: number[] = [];
    const clock = (): number => Date.now();

    beforeAll(async () => {
      await addPlays(({ say, shell, agent }) => ({
        across: [
          { items: [say('I will ask the others.'), agent('Ask the others', 'Ask them. [[play:across-asker]]')] },
          { items: [say('All were asked.')] },
        ],
        'across-asker': [
          ...others.map(({ command, program }, at) => ({ items: [shell(command, `Ask ${program} ${at}`)] })),
          { items: [shell(FORGED, 'Look at a log')] },
          { items: [say('They have answered.')] },
        ],
      }));
      const programs = new Map(
        others.flatMap(({ program, variable }) =>
          programsIn(variable)
            .slice(0, 1)
            .map((place) => [program, place] as const),
        ),
      );
      hosts = await startAcrossHosts(claude.replaceAll(/[^\w.]+/g, '-'), new Map([...programs, ['claude', claude]]));
      places = listDataFolders(ADAPTERS, { env: {}, home: hosts.home }, {});
      live = joinLive(startTracker(places, { clock, sweepEveryMs: 1_000 }));
      live.subscribe((change: TreeChange) => {
        if (change.kind !== 'listing') rowsSeen.push(live.current().length);
      });
      const args = ['--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5'];
      const allowed = ['--allowedTools', 'Bash,Agent,Task'];
      await hosts.run('claude', ['-p', 'Please do the job. [[play:across]]', ...args, ...allowed]);
    }, 240_000);
    afterAll(async () => {
      live?.close();
      await hosts?.close();
    });

    it('from the disk: one row, one tree, each session below the agent whose command started it', async () => {
      const sessions = createSessions(places, { clock });
      const { trees, total } = await sessions.list({ limit: 20 });
      expect(trees.map(({ id }) => id.split(':')[0])).toEqual(['claude-code']);
      expect(total).toBe(1);
      check(computeTree(await sessions.open(), { internal: false }));
    });

    it('live: the same tree, and no row is left', async () => {
      await expect.poll(() => live.current().length, { timeout: 20_000 }).toBe(1);
      const [tree] = live.current();
      if (!tree) throw new Error('no tree');
      await expect.poll(() => live.current()[0]?.agents[0]?.status, { timeout: 20_000 }).toBe('completed');
      check(computeTree({ tree: live.current()[0] ?? tree, ignoredFiles: 0 }, { internal: false }));
      // Between its first line and the result of its command, one session at a time is known by itself only.
      expect(Math.max(...rowsSeen)).toBeLessThanOrEqual(2);
    });

    it('every conversation comes along, with doors from the commands', async () => {
      const opened = await createSessionTranscripts(places, createSessions(places, { clock })).open();
      const transcripts: PlacedTranscript[] = [];
      for await (const one of opened.read()) transcripts.push(one);
      expect(transcripts.map(({ transcript }) => transcript.messages.length > 0)).toEqual(
        opened.agents.map(() => true),
      );
      const asker = transcripts.find(({ node }) => node.description === 'Ask the others');
      const doors = asker?.transcript.messages.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_use' ? [block.sub_agent_ref?.agent_id !== undefined] : [])),
      );
      expect(doors).toEqual([...others.map(() => true), false]);
    });
  });
}

function check({ session, agents }: TreeReport): void {
  const asker = agents.find(({ description }) => description === 'Ask the others');
  const started = agents.filter(({ kind }) => kind === 'session');
  const seen = started.map((one) => ({ ...shapeOf(one), agents: agents.filter(belongsTo(one)).length }));
  expect(seen).toEqual(
    others.map(({ host, agents: count }) => ({
      host,
      parentId: asker?.id,
      depth: 2,
      status: 'completed',
      evidence: 'printed',
      hasCall: true,
      agents: count,
    })),
  );
  expect(new Set(agents.map(({ id }) => id)).size).toBe(agents.length);
  expect(session.agents).toBe(2 + others.reduce((sum, { agents: count }) => sum + count, 0));
  const output = agents.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0);
  expect(session.usage.output).toBe(output);
  expect(agents[0]?.subtreeUsage.output).toBe(output);
}

function belongsTo(root: AgentReport): (agent: AgentReport) => boolean {
  return ({ ownSessionId }) => ownSessionId === root.id;
}

function shapeOf({ host, parentId, depth, status, evidence, toolUseId }: AgentReport) {
  return { host, parentId, depth, status, evidence: evidence?.source, hasCall: toolUseId !== null };
}
