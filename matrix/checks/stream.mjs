// The output of each headless run, through `troupe stream`.
import { readFileSync } from 'node:fs';
import { matchAgent } from '../collect.mjs';
import { isInterrupted, nameOf } from './tree.mjs';

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
      // Codex numbers the calls of each run from 0: only an id is the same in all runs.
      for (const [call, agent] of readRun(stdout)) ended.set(agent.id ?? call, { ...agent, call });
    }
    const frozen = idsOf(expected, shown, ({ isFrozen }) => isFrozen);
    const interrupted = idsOf(expected, shown, ({ status }) => status === 'interrupted');
    // A run prints nothing about agents that its session has copied from another; the files beside it may.
    for (const id of frozen) ended.delete(id);
    const own = shown.tree.agents.filter(({ id, kind }) => kind !== 'main' && !frozen.has(id));
    // Terminals print no events.
    if (expected.printed.length > 0 && !expected.isTyped)
      differences.push(...compare(nameOf(expected), ended, own, interrupted));
  }
  return differences;
}

const idsOf = ({ agents }, shown, condition) =>
  new Set(agents.filter(condition).map((agent) => matchAgent(agent, shown)?.id));

/** By the call that made it: an agent may begin without an id. */
function readRun(stdout) {
  const agents = new Map();
  for (const line of stdout.split('\n').filter(Boolean)) {
    const event = JSON.parse(line);
    if (!event.type.startsWith('subagent_')) continue;
    const call = event.parent_tool_id ?? event.agent_id;
    const agent = agents.get(call) ?? { id: null, status: null };
    agents.set(call, { id: event.agent_id ?? agent.id, status: ENDS[event.type] ?? agent.status });
  }
  return agents;
}

/** Of an interruption, the output may tell more than the files. */
function compare(name, ended, subagents, interrupted) {
  const differences = [];
  for (const { id, toolUseId, label, status } of subagents) {
    const one = ended.get(id) ?? [...ended.values()].find(({ call }) => call === toolUseId);
    if (!one) differences.push(`${name}: the stream does not show "${label}"`);
    else if (one.status !== status && !(interrupted.has(id) && isInterrupted(one)))
      differences.push(`${name}: "${label}" ends as ${one.status} in the stream and as ${status} in the tree`);
  }
  if (ended.size > subagents.length)
    differences.push(`${name}: the stream shows ${ended.size} sub-agents, the tree ${subagents.length}`);
  return differences;
}
