// The usage of each session: against the turns that were served, and against what the host itself counts.
import { nameOf } from './tree.mjs';

const FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite'];

export function checkTotals({ truth, matches, host, person }) {
  const differences = truth.flatMap((expected) => {
    const shown = matches.get(expected);
    if (!shown) return [];
    const { session, agents } = shown.tree;
    const served = sumServed(expected, shown, person.run);
    const counted = withoutEarlier(hostTotals(expected, shown, host, person.sandbox), expected, truth, person.run);
    const differences = FIELDS.map((field) => compare({ field, session, served, counted, host }));
    return [
      ...differences.filter(Boolean).map((text) => `${nameOf(expected)}: ${text}`),
      ...compareMain(agents[0], expected, host),
      ...compareInherited(session, agents).map((text) => `${nameOf(expected)}: ${text}`),
    ];
  });
  return [...differences, ...compareSum([...matches.values()], person.run)];
}

const ownOf = ({ usage, inheritedUsage }, field) => usage[field] - (inheritedUsage?.[field] ?? 0);

/** What sessions have of their own adds up to what the model served: nothing twice, nothing lost. */
function compareSum(shown, run) {
  const served = run.log.filter(({ state }) => state === 'served');
  const [scripted, all] = [sum(served.filter(({ hidden }) => !hidden)), sum([...served, ...begunIn(run.log)])];
  return FIELDS.flatMap((field) => {
    const total = shown.reduce((whole, { tree }) => whole + ownOf(tree.session, field), 0);
    if (total > all[field]) return [`all sessions: ${field} is ${total}, the model served ${all[field]}`];
    const isLess = total < scripted[field] && !shown.some(({ tree }) => tree.session.usageIsLowerBound);
    return isLess ? [`all sessions: ${field} is ${total}, the model served ${scripted[field]}`] : [];
  });
}

/** What a session has inherited is what its agents have inherited. */
function compareInherited({ inheritedUsage }, agents) {
  const wrong = FIELDS.map((field) => {
    const total = agents.reduce((whole, agent) => whole + (agent.inheritedUsage?.[field] ?? 0), 0);
    const is = inheritedUsage?.[field] ?? 0;
    return is === total ? undefined : `inherited ${field} is ${is}, that of its agents ${total}`;
  });
  return wrong.filter(Boolean);
}

/**
 * Requests that belong to no agent (titles, summaries) are in the total as unattributed, and not fewer than the host counts.
 * A lower bound may be less, never more.
 */
function compare({ field, session, served, counted, host }) {
  const total = ownOf(session, field);
  const hidden = served.all[field] - served.scripted[field];
  const unattributed = session.unattributedUsage?.[field] ?? 0;
  if (unattributed > hidden) return `${field} of no agent is ${unattributed}, the model served ${hidden}`;
  if (total > served.all[field]) return `${field} is ${total}, the model served ${served.all[field]}`;
  if (session.usageIsLowerBound) return undefined;
  if (total < served.scripted[field]) return `${field} is ${total}, the model served ${served.scripted[field]}`;
  if (counted?.[field] > total) return `${field} is ${total}, ${host.title} says ${counted[field]}`;
  return undefined;
}

/** Some hosts print the usage of the main agent only. */
function compareMain({ usage }, { printed, forkedFrom }, host) {
  const wanted = printed.length === 1 && !forkedFrom ? host.mainTotals?.(printed[0]) : undefined;
  const wrong = wanted ? Object.keys(wanted).filter((field) => usage[field] !== wanted[field]) : [];
  return wrong.map((field) => `main agent: ${field} is ${usage[field]}, ${host.title} says ${wanted[field]}`);
}

/** Old versions do not name the session in their requests: each hidden request may then belong to any session. */
function sumServed({ agents }, { id }, run) {
  const keys = new Set(agents.flatMap((agent) => agent.keys));
  const served = run.log.filter(({ state }) => state === 'served');
  const isOwn = ({ key }) => keys.has(key);
  const hidden = served.filter((entry) => entry.hidden && (entry.session ?? id) === id);
  const scripted = served.filter(isOwn);
  return { scripted: sum(scripted), all: sum([...scripted, ...hidden, ...begunIn(run.log.filter(isOwn))]) };
}

/** Answers of which the host got the beginning: it may count them. */
const begunIn = (entries) => entries.flatMap(({ begun }) => (begun ? { usage: begun } : []));

/** After `/clear` the host counts the agents that go on in the new session; they belong to the sessions before. */
function withoutEarlier(counted, { beganAt, continuedFrom }, truth, run) {
  if (!counted || !continuedFrom) return counted;
  const keys = new Set();
  for (let { asks } = continuedFrom; asks; ) {
    const before = truth.find((one) => one.asks === asks);
    for (const agent of before.agents.slice(1)) for (const key of agent.keys) keys.add(key);
    // After `/branch`, the same process goes on, too.
    asks = (before.takesProcess ? before.forkedFrom : before.continuedFrom)?.asks;
  }
  const others = sum(
    run.log.filter(({ key, state, endedAt }) => keys.has(key) && state === 'served' && endedAt >= beganAt),
  );
  return Object.fromEntries(FIELDS.map((field) => [field, counted[field] - others[field]]));
}

const sum = (entries) =>
  Object.fromEntries(FIELDS.map((field) => [field, entries.reduce((all, { usage }) => all + usage[field], 0)]));

/** What the host printed, else what it wrote down. The sum of a fork holds that of its original. */
function hostTotals({ printed, forkedFrom, wasKilled }, { id }, host, sandbox) {
  if (forkedFrom || wasKilled) return null;
  if (printed.length === 0) return host.writtenTotals?.(id, sandbox) ?? null;
  if (!host.totals) return null;
  const runs = (host.totalsAreCumulative ? printed.slice(-1) : printed).map((file) => host.totals(file));
  if (runs.includes(null)) return null;
  const fields = Object.keys(runs[0]);
  return Object.fromEntries(fields.map((field) => [field, runs.reduce((all, run) => all + run[field], 0)]));
}
