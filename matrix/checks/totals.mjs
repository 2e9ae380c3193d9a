// The usage of each session: against the turns that were served, and against what the host itself counts.
import { nameOf } from './tree.mjs';

const FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite'];

export function checkTotals({ truth, matches, host, person }) {
  return truth.flatMap((expected) => {
    const shown = matches.get(expected);
    if (!shown) return [];
    const { session, agents } = shown.tree;
    const served = sumServed(expected, shown, person.run);
    const counted = hostTotals(expected, shown, host, person.sandbox);
    const differences = FIELDS.map((field) => compare({ field, session, served, counted, host }));
    return [
      ...differences.filter(Boolean).map((text) => `${nameOf(expected)}: ${text}`),
      ...compareMain(agents[0], expected, host),
    ];
  });
}

/**
 * Requests that belong to no agent (titles, summaries) may be counted or not, but not fewer than the host counts.
 * A lower bound may be less, never more.
 */
function compare({ field, session, served, counted, host }) {
  const total =
    session.usage[field] - (session.inheritedUsage?.[field] ?? 0) + (session.unattributedUsage?.[field] ?? 0);
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
  const scripted = served.filter(({ key }) => keys.has(key));
  const hidden = served.filter((entry) => entry.hidden && (entry.session ?? id) === id);
  return { scripted: sum(scripted), all: sum([...scripted, ...hidden]) };
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
