// The output of each headless run, through `troupe stream`.
import { readFileSync } from 'node:fs';
import { nameOf } from './tree.mjs';

const ENDS = {
  subagent_completed: 'completed',
  subagent_failed: 'failed',
  subagent_stopped: 'stopped',
  subagent_lost: 'unknown',
};

export async function checkStream({ truth, matches, troupe, host }) {
  const differences = [];
  for (const expected of truth) {
    const shown = matches.get(expected);
    if (!shown) continue;
    const ended = new Map();
    for (const file of expected.printed) {
      const args = ['stream', '--host', host.name];
      const { code, stdout, stderr } = await troupe.run(args, readFileSync(file));
      if (code !== 0) differences.push(`troupe stream failed (exit code ${code}): ${stderr.trim()}`);
      for (const line of stdout.split('\n').filter(Boolean)) note(JSON.parse(line), ended);
    }
    if (expected.printed.length > 0) differences.push(...compare(nameOf(expected), ended, shown.tree));
  }
  return differences;
}

/** Agents may begin without an id; the call that made them stays the same. */
function note(event, ended) {
  if (!event.type.startsWith('subagent_')) return;
  const key = event.parent_tool_id ?? event.agent_id;
  const agent = ended.get(key) ?? { id: null, status: null };
  ended.set(key, { id: event.agent_id ?? agent.id, status: ENDS[event.type] ?? agent.status });
}

function compare(name, ended, { agents }) {
  const differences = [];
  const subagents = agents.filter(({ kind }) => kind !== 'main');
  for (const { id, toolUseId, label, status } of subagents) {
    const one = ended.get(toolUseId) ?? [...ended.values()].find((other) => other.id === id);
    if (!one) differences.push(`${name}: the stream does not show "${label}"`);
    else if (one.status !== status)
      differences.push(`${name}: "${label}" ends as ${one.status} in the stream and as ${status} in the tree`);
  }
  if (ended.size > subagents.length)
    differences.push(`${name}: the stream shows ${ended.size} sub-agents, the tree ${subagents.length}`);
  return differences;
}
