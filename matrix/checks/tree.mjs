// `troupe tree --json` after the end.
import { matchAgent } from '../collect.mjs';

/** @returns differences in words */
export function checkTree({ truth, collected, matches, host, version }) {
  const differences = [];
  for (const expected of truth) {
    const name = nameOf(expected);
    const shown = matches.get(expected);
    if (!shown) differences.push(`${name} is not listed`);
    else differences.push(...checkSession({ expected, shown, matches, host, version, name }));
  }
  const known = new Set([...matches.values()].map(({ id }) => id));
  for (const { id, tree } of collected)
    if (!known.has(id)) differences.push(`session ${id} ("${tree.session.title}") is listed, but is not in the play`);
  return differences;
}

/** How a session is called in differences. */
export const nameOf = ({ asks }) => `session of ${asks.join(', ')}`;

function checkSession({ expected, shown, matches, host, version, name }) {
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
    if (!(mayStayOpen && one.status === 'waiting') && !(agent.status === 'interrupted' && isInterrupted(one)))
      differ(`${title}: status`, one.status, agent.status);
    if (agent.type !== null) differ(`${title}: type`, one.type, agent.type);
    differ(`${title}: calls`, one.toolCallCount, agent.calls);
    checkOutput({ title, one, agent, host, version, differences });
    if (!expected.forkedFrom) differ(`${title}: inherited usage`, one.inheritedUsage ?? null, null);
  }
  const ids = new Set([...found.values()].map(({ id }) => id));
  for (const one of agents)
    if (!ids.has(one.id)) differences.push(`agent "${one.label}" (${one.id}) is not in the play`);
  return differences;
}

/** Not every host writes down that it was interrupted. */
export const isInterrupted = ({ status }) => status === 'stopped' || status === 'unknown';

const labelOf = (agent, host) => (host.label ? host.label(agent) : agent.description);

/** Some versions write down a part of the output only, and none the rest of a reply that was cut off; troupe must say then that it shows a lower bound. */
function checkOutput({ title, one, agent, host, version, differences }) {
  if (one.usage === null) return differences.push(`${title}: has no usage, expected ${agent.output} output tokens`);
  const wasCutOff = agent.status === 'unknown' || agent.status === 'interrupted';
  const mayBeLess = one.usageIsLowerBound && (wasCutOff || host.writesPartOfUsage?.(version) === true);
  const bound = one.usageIsLowerBound ? ' (a lower bound)' : '';
  const compare = (what, is, wanted) => {
    const isFine = mayBeLess ? is <= wanted : is === wanted;
    if (!isFine) differences.push(`${title}: ${what} tokens are ${is}${bound}, expected ${wanted}`);
  };
  const inherited = one.inheritedUsage?.output ?? 0;
  compare('own output', one.usage.output - inherited, agent.output);
  compare('inherited output', inherited, agent.inherited);
}

const titleOf = ({ key, description }) => (description ? `${key} "${description}"` : key);

const sessionLike = (matches, { asks }) => [...matches.keys()].find((one) => one.asks === asks);
