// `troupe tree --json` after the end.
import { matchAgent } from '../collect.mjs';

/** @returns differences in words */
export function checkTree({ truth, collected, matches, host, version, person: { run } }) {
  const differences = [];
  for (const expected of truth) {
    const name = nameOf(expected);
    const shown = matches.get(expected);
    if (!shown) differences.push(`${name} is not listed`);
    else differences.push(...checkSession({ expected, shown, truth, matches, host, version, run, name }));
  }
  const known = new Set([...matches.values()].map(({ id }) => id));
  for (const { id, tree } of collected)
    if (!known.has(id)) differences.push(`session ${id} ("${tree.session.title}") is listed, but is not in the play`);
  return differences;
}

/** How a session is called in differences. */
export const nameOf = ({ asks }) => `session of ${asks.join(', ')}`;

function checkSession({ expected, shown, truth, matches, host, version, run, name }) {
  const differences = [];
  const { session, agents } = shown.tree;
  const differ = (what, is, wanted) => {
    if (is !== wanted) differences.push(`${what} is ${is}, expected ${wanted}`);
  };
  const idOf = (other) => (other === undefined ? null : (matches.get(sessionLike(matches, other))?.id ?? other));
  differ(`${name}: forkedFrom`, session.forkedFrom ?? null, idOf(expected.forkedFrom));
  differ(`${name}: continuedFrom`, session.continuedFrom ?? null, idOf(expected.continuedFrom));
  const found = new Map();
  for (const agent of expected.agents) {
    const one = matchAgent(agent, shown);
    if (one) found.set(agent.key, one);
    else differences.push(`${titleOf(agent)} is missing in ${name}`);
  }
  for (const agent of expected.agents) {
    const one = found.get(agent.key);
    if (!one) continue;
    const title = titleOf(agent);
    const parent = agent.parent === null ? null : (found.get(agent.parent)?.id ?? agent.parent);
    differ(`${title}: parent`, one.parentId, parent);
    differ(`${title}: kind`, one.kind, agent.kind);
    if (agent.kind !== 'main') differ(`${title}: label`, one.label, agent.name ?? labelOf(agent, host));
    const mayStayOpen = host.mainStaysOpen?.(version) && agent.kind === 'main' && agent.status === 'completed';
    if (!mayStayOpen || one.status !== 'waiting') differ(`${title}: status`, one.status, agent.status);
    // The transcript of a fork begins with the calls of its original: a count with them is right, too.
    const copied = agent.kind === 'main' ? copiedCalls(expected, truth, run) : 0;
    if (copied === 0 || one.toolCallCount !== agent.calls + copied)
      differ(`${title}: calls`, one.toolCallCount, agent.calls);
    checkOutput({ title, one, agent, session, host, version, differences });
  }
  const ids = new Set([...found.values()].map(({ id }) => id));
  for (const one of agents)
    if (!ids.has(one.id)) differences.push(`agent "${one.label}" (${one.id}) is not in the play`);
  return differences;
}

const labelOf = (agent, host) => (host.label ? host.label(agent) : agent.description);

/** Some versions write down a part of the output only; troupe must say then that it shows a lower bound. */
function checkOutput({ title, one, agent, session, host, version, differences }) {
  if (one.usage === null) return differences.push(`${title}: has no usage, expected ${agent.output} output tokens`);
  // A forked session shows what it copied as inherited.
  const inherited = agent.kind === 'main' ? (session.inheritedUsage?.output ?? 0) : 0;
  const output = one.usage.output - inherited;
  const mayBeLess = one.usageIsLowerBound && host.writesPartOfUsage?.(version) === true;
  const isFine = mayBeLess ? output <= agent.output : output === agent.output;
  const bound = one.usageIsLowerBound ? ' (a lower bound)' : '';
  if (!isFine) differences.push(`${title}: output tokens are ${output}${bound}, expected ${agent.output}`);
}

/** Calls that the main agent of the original had made when the fork began, its own copies included. */
function copiedCalls(fork, truth, run) {
  const original = truth.find(({ asks }) => asks === fork.forkedFrom?.asks);
  if (!original) return 0;
  const began = run.log.find(({ key }) => key === fork.asks[0])?.at;
  const copied = run.log.filter(
    ({ key, at, state }) => original.asks.includes(key) && at < began && state === 'served',
  );
  return copied.reduce((sum, { calls }) => sum + calls, 0) + copiedCalls(original, truth, run);
}

const titleOf = ({ key, description }) => (description ? `${key} "${description}"` : key);

const sessionLike = (matches, { asks }) => [...matches.keys()].find((one) => one.asks === asks);
