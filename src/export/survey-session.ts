import {
  type AgentNode,
  computeDocumentHead,
  computeTimeline,
  type DocumentHead,
  type OpenedTranscripts,
  type SessionTree,
  type TranscriptAuthor,
  titleOfConversation,
} from '../core/index.ts';
import type { ScanResult } from '../redact/index.ts';
import {
  type AgentWork,
  createAgentWork,
  type ExportOptions,
  type ScanCache,
  type SurveyedAgent,
} from './agent-work.ts';
import { assignTasks, taskWorkersOf, type WorkerPool } from './assign-tasks.ts';
import { type Counted, keepCalls, type Outline } from './pages/page-plan.ts';
import type { StartingPool } from './worker-pool.ts';

/** What has to be known of a session before its first page can be drawn. Holds words of it: not yet redacted. */
export interface Survey {
  readonly head: DocumentHead;
  /** Left out where nobody looked for secrets in it. */
  readonly headLooked?: ScanResult | undefined;
  readonly outlines: readonly Outline[];
  readonly leftOut: readonly Counted[];
  readonly shortened: readonly Counted[] | undefined;
  /** Who has seen the session, and goes on with it. */
  readonly pool: WorkerPool | undefined;
  readonly scanCache: ScanCache;
}

interface SurveyOptions {
  /** For a session that was not looked through for secrets before. */
  readonly scan: boolean;
  readonly scanCache: ScanCache;
  readonly starting?: StartingPool | undefined;
  readonly onAgent: () => void;
}

/** Reads the whole session once. */
export async function surveySession(
  opened: OpenedTranscripts,
  options: ExportOptions,
  { scan, scanCache, starting, onAgent }: SurveyOptions,
): Promise<Survey> {
  const { redactor, isCompact, singlePage } = options;
  const head = computeDocumentHead(opened);
  const author = await opened.author();
  let headLooked: ScanResult | undefined;
  if (scan && redactor) {
    // Whoever is met later has everything looked through again.
    redactor.meet({ author });
    headLooked = redactor.scan(head);
    redactor.scan(unlistedIn(opened.tree));
    if (singlePage !== undefined) redactor.scan(computeTimeline(opened));
  }
  const pool = await starting?.begin(opened);
  const survey = (work: AgentWork, agent: number): Promise<SurveyedAgent> => work.survey(agent, scan);
  const workers = taskWorkersOf(createAgentWork(opened, options, scanCache), pool, survey, async (worker) => {
    const { users, names } = redactor?.memory() ?? { users: [], names: [] };
    // Nothing is redacted yet: nobody needs to know the values.
    return worker.prepareSurvey(scan && redactor ? { users, names } : undefined);
  });
  const { results, owners } = await assignTasks([...opened.agents.keys()], workers, undefined, onAgent);
  if (pool) pool.owners = owners;
  const outlines: Outline[] = [];
  const spawning = new Set(opened.tree.agents.flatMap(({ link }) => link.call ?? []));
  const [leftOut, shortened] = [new Map<string, number>(), new Map<string, number>()];
  for (const [agent, { node }] of opened.agents.entries()) {
    const surveyed = results.get(agent);
    if (!surveyed) continue;
    // Whoever has seen it: another may write it.
    scanCache.remember(node.id, surveyed);
    // In this order, whoever was done first: secrets get their numbers by it.
    if (scan) redactor?.learn(redactor.gather(aboveConversation(opened.tree, node, author)).gathered);
    if (surveyed.gathered) redactor?.learn(surveyed.gathered);
    outlines.push(keepCalls(surveyed.outline, spawning));
    addTo(leftOut, Object.entries(surveyed.leftOut));
    addTo(shortened, surveyed.shortened);
  }
  return {
    head,
    headLooked,
    outlines,
    leftOut: toCounted(leftOut),
    shortened: isCompact ? toCounted(shortened) : undefined,
    pool,
    scanCache,
  };
}

/** What doors in conversations may say of agents that the head leaves out. */
function unlistedIn({ agents }: SessionTree): readonly unknown[] {
  const unlisted = agents.filter(({ kind, link }) => kind === 'internal' && link.call !== undefined);
  return unlisted.map(({ name, description, type, group }) => ({ name, description, type, team: group?.id }));
}

/** What the tree has put above a transcript. */
function aboveConversation(tree: SessionTree, node: AgentNode, author: TranscriptAuthor | null) {
  return { model: node.model, title: titleOfConversation(tree, node), author, messages: [] };
}

function addTo(sums: Map<string, number>, counts: Iterable<readonly [string, number]>): void {
  for (const [what, count] of counts) sums.set(what, (sums.get(what) ?? 0) + count);
}

function toCounted(counts: ReadonlyMap<string, number>): readonly Counted[] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => ({ what, count }));
}
