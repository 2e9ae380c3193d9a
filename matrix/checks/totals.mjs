// The host's own totals against the usage that troupe shows for the session.
import { nameOf } from './tree.mjs';

const FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite'];

export function checkTotals({ truth, matches, host, version }) {
  return truth.flatMap((expected) => {
    const shown = matches.get(expected);
    const totals = host.totals && expected.printed.length === 1 ? host.totals(expected.printed[0], version) : null;
    if (!shown || !totals) return [];
    const { session } = shown.tree;
    const differences = [];
    for (const field of FIELDS) {
      if (totals[field] === undefined) continue;
      const inherited = session.inheritedUsage?.[field] ?? 0;
      const total = session.usage[field] - inherited + (session.unattributedUsage?.[field] ?? 0);
      const isFine = session.usageIsLowerBound ? total <= totals[field] : total === totals[field];
      if (!isFine) differences.push(`${nameOf(expected)}: ${field} is ${total}, ${host.title} says ${totals[field]}`);
    }
    return differences;
  });
}
