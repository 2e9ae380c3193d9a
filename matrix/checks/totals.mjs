// The usage of each session: against the turns that were served, and against what the host itself counts.
import { nameOf } from './tree.mjs';

const FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite'];

export function checkTotals({ truth, matches, host, version, person }) {
  return truth.flatMap((expected) => {
    const shown = matches.get(expected);
    if (!shown) return [];
    const { session } = shown.tree;
    const own = subtract(session.usage, session.inheritedUsage);
    const served = sumServed(expected, shown, person.run);
    return [
      ...compare({ own, session, wanted: served, name: nameOf(expected), by: 'the model served' }),
      ...compare({
        own,
        session,
        wanted: hostTotals(expected, host, version),
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

function sumServed({ agents }, { id }, run) {
  const keys = new Set(agents.flatMap((agent) => agent.keys));
  const served = run.log.filter(({ key, state }) => state === 'served' && keys.has(key));
  const hidden = run.log.filter((entry) => entry.hidden && entry.state === 'served' && entry.session === id);
  const sum = (entries) =>
    Object.fromEntries(FIELDS.map((field) => [field, entries.reduce((all, { usage }) => all + usage[field], 0)]));
  return { ...sum([...served, ...hidden]), withoutHidden: sum(served) };
}

/** Claude Code counts on through resumes and forks: the sum of a fork holds that of its original. */
function hostTotals({ printed, forkedFrom, wasKilled }, host, version) {
  const last = printed.at(-1);
  if (!host.totals || !last || forkedFrom || wasKilled) return null;
  return host.totals(last, version);
}

const subtract = (usage, inherited) =>
  Object.fromEntries(FIELDS.map((field) => [field, usage[field] - (inherited?.[field] ?? 0)]));
