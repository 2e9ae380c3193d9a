import {
  type AgentReport,
  cleanLine,
  type DiagnosticReport,
  type SessionDetail,
  type TimelineAgent,
  type TimelineReport,
  type TranscriptBlock,
  type TranscriptMessage,
} from '../../../src/core/index.ts';

const MAX_CHARACTERS = 4_000;

export interface PromptText {
  readonly text: string;
  /** Of a very long one, only the beginning. */
  readonly isCut: boolean;
}

/** What the first message that somebody wrote says, line by line, without anything that could disturb the page. */
export function promptIn(messages: readonly TranscriptMessage[]): PromptText | undefined {
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    const text = content.flatMap((block) => promptsIn(block)).join('\n');
    const clean = text.slice(0, MAX_CHARACTERS).split(/\r?\n/).map(cleanKeepingIndent).join('\n').trim();
    if (clean !== '') return { text: clean, isCut: text.length > MAX_CHARACTERS };
  }
  return undefined;
}

/** What a teammate is asked comes as a message; a command of the person's own is its name and what stands behind it. */
function promptsIn(block: TranscriptBlock): readonly string[] {
  if (block.type === 'text') return [block.text];
  if (block.type !== 'notice') return [];
  return block.kind === 'message' ? [block.text] : block.kind === 'command' ? [block.title ?? ''] : [];
}

function cleanKeepingIndent(line: string): string {
  const [indent = ''] = /^ */.exec(line) ?? [];
  return indent + cleanLine(line);
}

/** Of a sub-agent, those that stand in its files or name it. How many there are beyond the examples is not known then. */
export function diagnosticsOf({ diagnostics }: SessionDetail, agent: AgentReport): readonly DiagnosticReport[] {
  if (agent.kind === 'main') return diagnostics.items;
  return diagnostics.items
    .map((item) => ({
      ...item,
      examples: item.examples.filter(
        ({ source, detail }) =>
          (source !== null && agent.transcripts.includes(source)) || (source === null && detail.startsWith(agent.id)),
      ),
    }))
    .filter(({ examples }) => examples.length > 0)
    .map((item) => ({ ...item, count: item.examples.length }));
}

/** When the call began that the agent is in the middle of; undefined where nobody wrote it down, or it is too new. */
export function currentCallSince(
  agent: AgentReport,
  timeline: TimelineReport | undefined,
  now: number,
): number | undefined {
  if (agent.currentTool === null) return undefined;
  const calls = timeline?.agents.find(({ id }) => id === agent.id)?.calls ?? [];
  const open = calls.findLast(
    ({ tool, summary, startedAt, endedAt }) =>
      tool === agent.currentTool &&
      summary === agent.currentToolSummary &&
      startedAt !== null &&
      Date.parse(startedAt) <= now &&
      (endedAt === null || Date.parse(endedAt) > now),
  );
  return open?.startedAt ? Date.parse(open.startedAt) : undefined;
}

/** Ids of all agents below one, at any depth. Children stand behind their parent, so one pass is enough. */
export function descendantsOf({ subagents }: SessionDetail, id: string): ReadonlySet<string> {
  const below = new Set<string>();
  for (const agent of subagents)
    if (agent.parentId !== null && (agent.parentId === id || below.has(agent.parentId))) below.add(agent.id);
  return below;
}

export interface ChangedFile {
  readonly path: string;
  readonly times: number;
}

/** Files that calls wrote until `at`, in the order of their first change. A call that failed changed nothing. */
export function filesChanged(agents: readonly TimelineAgent[], at: number): readonly ChangedFile[] {
  const times = new Map<string, number>();
  const written = agents
    .flatMap(({ calls }) => calls)
    .filter(({ outcome, endedAt }) => outcome === 'ok' && (endedAt === null || Date.parse(endedAt) <= at));
  for (const { writes } of written) if (writes !== null) times.set(writes, (times.get(writes) ?? 0) + 1);
  return [...times].map(([path, count]) => ({ path, times: count }));
}

/** Below the folder of the session: without it. */
export function shortPath(path: string, folder: string | null): string {
  if (folder === null || folder === '') return path;
  const prefix = /[\\/]$/.test(folder) ? folder : `${folder}${folder.includes('\\') ? '\\' : '/'}`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
