// Every state that the server showed while the host ran.
import { matchAgent } from '../collect.mjs';
import { nameOf } from './tree.mjs';

const ENDED = new Set(['completed', 'failed', 'stopped', 'unknown']);

export function checkLive({ truth, matches, observer, person }) {
  const { states } = observer;
  const begin = person.sandbox.processes[0]?.startedAt ?? states[0]?.at ?? 0;
  const at = (time) => `${((time - begin) / 1000).toFixed(1)} s after the start`;
  const differences = findShared(states, at);
  for (const expected of truth) {
    const shown = matches.get(expected);
    if (!shown) continue;
    const own = states.filter(({ session }) => session === shown.id);
    differences.push(...findPassing(own, shown, at), ...compareEnds(expected, own, shown));
    for (const agent of expected.agents) {
      const one = matchAgent(agent, shown);
      if (!one) continue;
      const seen = own.flatMap((state) =>
        state.agents.filter(({ id }) => id === one.id).map((s) => ({ ...s, at: state.at })),
      );
      differences.push(...checkAgent({ agent, one, seen, at, person, expected }));
    }
  }
  return [...new Set(differences)];
}

/** An agent belongs to one session. */
function findShared(states, at) {
  const differences = [];
  const current = new Map();
  for (const state of states) {
    current.set(state.session, new Map(state.agents.map((agent) => [agent.id, agent])));
    for (const [other, agents] of current) {
      if (other === state.session) continue;
      const both = state.agents.find(({ id, kind }) => kind !== 'main' && kind !== 'session' && agents.has(id));
      if (both)
        differences.push({
          text: `"${both.label}" was shown in the sessions ${[other, state.session].toSorted().join(' and ')} at once`,
          when: at(state.at),
        });
    }
  }
  const first = new Map();
  for (const { text, when } of differences) if (!first.has(text)) first.set(text, when);
  return [...first].map(([text, when]) => `${text}, first ${when}`);
}

/** Agents that were shown and are not in the tree. */
function findPassing(own, { tree }, at) {
  const known = new Set(tree.agents.map(({ id }) => id));
  const passing = new Map();
  for (const state of own)
    for (const { id, label, internal } of state.agents)
      if (!known.has(id) && !internal && !passing.has(id)) passing.set(id, { label, when: at(state.at) });
  return [...passing].map(([id, { label, when }]) => `"${label}" (${id}) was shown ${when}, but is not in the tree`);
}

function compareEnds(expected, own, { tree }) {
  const last = own.at(-1);
  if (!last) return [`${nameOf(expected)} was never shown live`];
  return tree.agents.flatMap(({ id, label, status }) => {
    const live = last.agents.find((one) => one.id === id);
    if (!live) return [`"${label}" is in the tree, but was not shown live`];
    return live.status === status ? [] : [`"${label}" ended as ${live.status} live and is ${status} in the tree`];
  });
}

function checkAgent({ agent, one, seen, at, person, expected }) {
  const differences = [];
  const add = (time, text) => differences.push(`${agent.key} ${text} ${at(time)}`);
  const first = (condition, text) => {
    const state = seen.find(condition);
    if (state) add(state.at, text(state));
  };
  if (agent.parent !== null) {
    first(
      ({ parentId }) => parentId === null,
      () => 'had no parent',
    );
    first(
      ({ parentId }) => parentId !== null && parentId !== one.parentId,
      ({ parentId }) => `had the parent ${parentId}`,
    );
  }
  first(
    ({ waitingOn }) => waitingOn === 'permission',
    () => 'waited for an approval although every tool is allowed',
  );
  first(
    ({ status, at: time }) => status === 'unknown' && expected.processes.some((process) => isAlive(process, time)),
    () => 'was unknown while its process was alive,',
  );
  const gap = seen.find((state) => isIdle(state) && isBetweenTurns(state.at, agent, person.run, expected));
  if (gap) add(gap.at, `was ${gap.status}${gap.waitingOn ? ` (${gap.waitingOn})` : ''} before its last turn,`);
  for (const [index, state] of seen.entries()) {
    const before = seen[index - 1];
    if (before && ENDED.has(before.status) && ENDED.has(state.status) && before.status !== state.status)
      add(state.at, `was ${before.status} before it was ${state.status},`);
  }
  return differences;
}

const isAlive = ({ startedAt, endedAt }, time) => time > startedAt && (endedAt === null || time < endedAt);

const isIdle = ({ status, waitingOn }) => ENDED.has(status) || (status === 'waiting' && waitingOn === 'input');

/** How long troupe may show the state before a prompt: the host asks the model first and writes later. */
const PROMPT_MS = 500;

/** The same instance asked for a turn before and after this time. */
function isBetweenTurns(time, { keys, kind }, run, { isTyped }) {
  return keys.some((key, index) => {
    const entries = run.log.filter((entry) => entry.key === key);
    const wasIdle = index > 0 || (kind === 'main' && isTyped);
    const since = time - (wasIdle ? PROMPT_MS : 0);
    return entries.some((entry) => entry.at <= since) && entries.some((entry) => entry.at > time);
  });
}
