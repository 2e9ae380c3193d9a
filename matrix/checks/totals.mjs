// The usage of each session: against the turns that were served, and against what the host itself counts.
import { nameOf } from './tree.mjs';

const FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite'];

export function checkTotals({ truth, matches, host, person }) {
  return truth.flatMap((expected) => {
    const shown = matches.get(expected);
    if (!shown) return [];
    const { session } = shown.tree;
    const own = subtract(session.usage, session.inheritedUsage);
    const served = sumServed(expected, shown, person.run);
    const main = shown.tree.agents[0];
    return [
      ...compareMain(main, expected, host),
      ...compare({ own, session, wanted: served, name: nameOf(expected), by: 'the model served' }),
      ...compare({
        own,
        session,
        wanted: hostTotals(expected, host),
        name: nameOf(expected),
        by: `${host.title} says`,
      }),
    ];
  });
}

/** Requests that belong to no agent (titles, summaries) may be shown apart, or make the usage a lower bound. */
function compare({ own, session, wanted, name, by }) {
  if (!wanted) return [];
  const { isLowerBound = session.usageIsLowerBound } = wanted;
  return FIELDS.filter((field) => wanted[field] !== undefined).flatMap((field) => {
    const total = own[field] + (session.unattributedUsage?.[field] ?? 0);
    const isFine = isLowerBound
      ? total <= wanted[field]
      : total === wanted[field] || own[field] === wanted.withoutHidden?.[field];
    return isFine ? [] : [`${name}: ${field} is ${total}, ${by} ${wanted[field]}`];
  });
}

/** Some hosts print the usage of the main agent only. */
function compareMain(main, { printed, forkedFrom }, host) {
  const wanted = printed.length === 1 && !forkedFrom ? host.mainTotals?.(printed[0]) : null;
  return wanted
    ? compare({ own: main.usage, session: main, wanted, name: 'main agent', by: `${host.title} says` })
    : [];
}

function sumServed({ agents }, { id }, run) {
  const keys = new Set(agents.flatMap((agent) => agent.keys));
  const served = run.log.filter(({ key, state }) => state === 'served' && keys.has(key));
  const hidden = run.log.filter((entry) => entry.hidden && entry.state === 'served' && entry.session === id);
  const sum = (entries) =>
    Object.fromEntries(FIELDS.map((field) => [field, entries.reduce((all, { usage }) => all + usage[field], 0)]));
  return { ...sum([...served, ...hidden]), withoutHidden: sum(served) };
}

/** The sum of a fork holds that of its original in Claude Code. */
function hostTotals({ printed, forkedFrom, wasKilled }, host) {
  if (!host.totals || printed.length === 0 || forkedFrom || wasKilled) return null;
  const runs = (host.totalsAreCumulative ? printed.slice(-1) : printed).map((file) => host.totals(file));
  if (runs.includes(null)) return null;
  return Object.fromEntries(
    Object.keys(runs[0]).map((field) => [field, runs.reduce((sum, run) => sum + run[field], 0)]),
  );
}

const subtract = (usage, inherited) =>
  Object.fromEntries(FIELDS.map((field) => [field, usage[field] - (inherited?.[field] ?? 0)]));
