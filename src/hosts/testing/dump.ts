import { type AgentNode, EVIDENCE, nativeId, type SessionTree } from '../../core/index.ts';

/** A tree as text that a person can check against the recording, and that shows in a diff what changed. */
export function dumpTree(tree: SessionTree): string {
  const head = [
    `session ${nativeId(tree.id)}`,
    `title   ${JSON.stringify(tree.title ?? null)} (${tree.titleKind ?? 'none'})`,
    `cwd     ${tree.cwd ?? '?'}  branch ${tree.branch ?? '?'}  version ${tree.hostVersion ?? '?'}`,
    ...(tree.unattributed ?? []).map(
      ({ model, usage }) =>
        `tokens  of no agent: ${model} in ${usage.input} out ${usage.output} read ${usage.cacheRead}`,
    ),
    ...(tree.hasUncounted ? ['tokens  of some requests are not known'] : []),
  ];
  const problems = tree.diagnostics.map(
    ({ code, count, examples }) => `problem ${code} × ${count} ${examples[0]?.detail ?? ''}`,
  );
  return `${[...head, ...tree.agents.flatMap(dumpAgent), ...problems].join('\n')}\n`;
}

function dumpAgent(agent: AgentNode): readonly string[] {
  const indent = '  '.repeat((agent.depth ?? 1) + 1);
  const { link, usage } = agent;
  const linked = link.evidence ? `${link.rank} ${link.evidence} (${EVIDENCE[link.evidence].rank})` : link.rank;
  const names = [
    agent.kind,
    agent.type,
    agent.name,
    agent.internal,
    agent.description && JSON.stringify(agent.description),
  ];
  return [
    '',
    `${indent}${nativeId(agent.id)} ${names.filter(Boolean).join(' ')}`,
    `${indent}  ${agent.status}${agent.waitingOn ? ` on ${agent.waitingOn}` : ''}, ${agent.activity}, link ${linked} call ${link.call ?? '–'}`,
    `${indent}  calls ${agent.toolCallCount ?? '?'} messages ${agent.messageCount ?? '?'} compactions ${agent.compactions} model ${agent.model ?? '?'} slug ${agent.slug ?? '–'} effort ${agent.effort ?? '–'}`,
    `${indent}  tokens ${usage ? `in ${usage.input} out ${usage.output}${agent.usageIsLowerBound ? ' (at least)' : ''} read ${usage.cacheRead} written ${usage.cacheWrite}` : '?'}`,
    `${indent}  prompt ${JSON.stringify(agent.promptHead ?? null)}`,
    ...(agent.worktree ? [`${indent}  worktree ${agent.worktree}`] : []),
    ...agent.runs.map(
      (run) =>
        `${indent}  run ${run.call ?? '–'} ${time(run.startedAt)} → ${time(run.endedAt)} ${run.status} by ${run.signal}${run.reason ? `: ${JSON.stringify(run.reason)}` : ''}`,
    ),
    ...agent.sources.map((source) => `${indent}  in ${source}`),
  ];
}

function time(at: number | undefined): string {
  return at === undefined ? '–' : new Date(at).toISOString().slice(11, 23);
}
