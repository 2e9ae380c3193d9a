import {
  computeDocumentHead,
  computeTimeline,
  type OpenedTranscripts,
  type SessionTree,
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
import type { DecidedValues } from './decisions.ts';
import { type Counted, keepCalls, type Outline } from './pages/page-plan.ts';
import { assignTasks, type StartingPool, taskWorkersOf } from './worker-pool.ts';

/** What has to be known of a session before its first page can be drawn. Holds words of it: not yet redacted. */
export type Survey = Awaited<ReturnType<typeof surveySession>>;

/** Reads the whole session once. `scan`: it was not looked through for secrets before. */
export async function surveySession(
  opened: OpenedTranscripts,
  options: ExportOptions,
  how: {
    scan: boolean;
    scanCache: ScanCache;
    starting?: StartingPool | undefined;
    layers?: readonly DecidedValues[];
    onAgent: () => void;
  },
) {
  const { scan, scanCache, starting, onAgent } = how;
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
  const pool = await starting?.begin(opened, how.layers ?? []);
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
    const above = { model: node.model, title: titleOfConversation(opened.tree, node), author, messages: [] };
    if (scan) redactor?.learn(redactor.gather(above).gathered);
    if (surveyed.gathered) redactor?.learn(surveyed.gathered);
    outlines.push(keepCalls(surveyed.outline, spawning));
    addTo(leftOut, Object.entries(surveyed.leftOut));
    addTo(shortened, surveyed.shortened);
  }
  return {
    head,
    // Undefined where nobody looked for secrets in it.
    headLooked,
    outlines,
    leftOut: toCounted(leftOut),
    shortened: isCompact ? toCounted(shortened) : undefined,
    // Who has seen the session, and goes on with it.
    pool,
    scanCache,
  };
}

/** What doors in conversations may say of agents that the head leaves out. */
function unlistedIn({ agents }: SessionTree): readonly unknown[] {
  const unlisted = agents.filter(({ kind, link }) => kind === 'internal' && link.call !== undefined);
  return unlisted.map(({ name, description, type, group }) => ({ name, description, type, team: group?.id }));
}

function addTo(sums: Map<string, number>, counts: Iterable<readonly [string, number]>): void {
  for (const [what, count] of counts) sums.set(what, (sums.get(what) ?? 0) + count);
}

function toCounted(counts: ReadonlyMap<string, number>): readonly Counted[] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => ({ what, count }));
}
