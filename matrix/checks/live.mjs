// Every state that the server showed while the host ran.
import { matchAgent } from '../collect.mjs';
import { nameOf } from './tree.mjs';

const ENDED = new Set(['completed', 'failed', 'stopped', 'unknown']);

export function checkLive({ truth, matches, observer, person }) {
  const { states } = observer;
  const begin = person.sandbox.processes[0]?.startedAt ?? states[0]?.at ?? 0;
  const at = (time) => `${((time - begin) / 1000).toFixed(1)} s after the start`;
  const differences = findShared(states, at, inheritedIn(matches));
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

/** By session, the ids of agents that a fork shows as they were when it was made. */
function inheritedIn(matches) {
  const sessions = [...matches].map(([{ agents }, shown]) => [
    shown.id,
    new Set(agents.filter(({ isInherited }) => isInherited).map((agent) => matchAgent(agent, shown)?.id)),
  ]);
  return new Map(sessions);
}

const AT_WORK = new Set(['spawning', 'running', 'waiting']);

/** An agent belongs to one session; forks show it, too, but it works in one place only. */
function findShared(states, at, inherited) {
  const first = new Map();
  const current = new Map();
  for (const state of states) {
    current.set(state.session, new Map(state.agents.map((agent) => [agent.id, agent])));
    for (const [other, agents] of current) {
      if (other === state.session) continue;
      for (const { id, kind, label, status } of state.agents) {
        if (kind === 'main' || kind === 'session' || !agents.has(id)) continue;
        const isFork = [other, state.session].some((session) => inherited.get(session)?.has(id));
        const isTwice = AT_WORK.has(status) && AT_WORK.has(agents.get(id).status);
        if (isFork && !isTwice) continue;
        const text = `"${label}" ${isTwice ? 'was at work' : 'was shown'} in the sessions ${[other, state.session].toSorted().join(' and ')} at once`;
        if (!first.has(text)) first.set(text, at(state.at));
      }
    }
  }
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
  const isTakenAlong = (time) => isWorkingForOriginal(time, agent, person.run, expected);
  if (agent.isFrozen) {
    first(
      ({ status, at: time }) => status !== agent.status && !(status === 'unknown' && isTakenAlong(time)),
      ({ status }) => `was ${status}, and ${agent.status} when its session was copied,`,
    );
    return differences;
  }
  first(
    ({ waitingOn }) => waitingOn === 'permission',
    () => 'waited for an approval although every tool is allowed',
  );
  first(
    // What a killed process left behind stays unknown while the next one starts.
    ({ status, at: time }, index) =>
      status === 'unknown' &&
      !isTakenAlong(time) &&
      seen[index - 1]?.status !== 'unknown' &&
      expected.processes.some((process) => isAlive(process, time)),
    () => 'was unknown while its process was alive,',
  );
  const waited = seen.find(
    (state, index) =>
      isWaitingForInput(state) &&
      !(index > 0 && isWaitingForInput(seen[index - 1])) &&
      hasHeadlessTurn(state.at, agent, person.run, expected),
  );
  if (waited) add(waited.at, 'waited for input although nobody can type,');
  const early = seen.find(
    (state) => state.status === 'running' && isBeforePrompt(state.at, agent, person.run, expected, one),
  );
  if (early) add(early.at, 'was running before its first prompt,');
  const gap = seen.find((state) => isIdle(state) && isBetweenTurns(state.at, agent, person.run, expected));
  if (gap) add(gap.at, `was ${gap.status}${gap.waitingOn ? ` (${gap.waitingOn})` : ''} before its last turn,`);
  const idle = findIdleTurn(seen, agent, person.run);
  if (idle) add(idle.at, `was ${idle.status} while the model worked on its turn,`);
  for (const { at: time, text } of findLate(seen, agent, person.run, expected, one)) add(time, text);
  if (seen[0] && agent.kind === 'main' && ENDED.has(seen[0].status) && wasOpen(seen[0].at, expected))
    add(seen[0].at, `was ${seen[0].status} at first, although its terminal was open,`);
  let endedAt;
  for (const [index, state] of seen.entries()) {
    const before = seen[index - 1];
    const [wasOver, isOver] = [before && ENDED.has(before.status), ENDED.has(state.status)];
    if (isOver && !wasOver) endedAt = state.at;
    const isLearned =
      before?.status === 'unknown' && (isTakenAlong(before.at) || wasTakenUp(endedAt, state.at, expected));
    if (wasOver && isOver && before.status !== state.status && !isLearned)
      add(state.at, `was ${before.status} before it was ${state.status},`);
    if (wasOver && !isOver && !wasWoken(endedAt, state.at, agent, person.run, expected))
      add(state.at, `was ${before.status} and then ${state.status}, although nothing woke it,`);
  }
  return differences;
}

/** For as long as it takes until somebody types something there. */
const wasOpen = (time, { isTyped, takesProcess, processes }) =>
  isTyped && takesProcess && processes.some((process) => isAlive(process, time) && isAlive(process, time + TYPING_MS));

const isAlive = ({ startedAt, endedAt }, time) => time > startedAt && (endedAt === null || time < endedAt);

const isWaitingForInput = ({ status, waitingOn }) => status === 'waiting' && waitingOn === 'input';

const isIdle = (state) => ENDED.has(state.status) || isWaitingForInput(state);

/** A program without a terminal works on the session, and asks for another turn of the agent later. */
const hasHeadlessTurn = (time, { keys }, run, { isTyped, processes }) =>
  !isTyped &&
  processes.some(
    (process) =>
      // A state may be held back for a moment: this one may be that of the run before.
      isAlive(process, time - 2 * PROMPT_MS) &&
      run.log.some((entry) => keys.includes(entry.key) && entry.at > time && isAlive(process, entry.at)),
  );

/** Between its end and this time it got another turn; or a program took up its session, which main cannot refuse. */
const wasWoken = (endedAt, time, { keys, kind }, run, { processes }) => {
  const isBetween = (one) => one > endedAt - PROMPT_MS && one < time + (kind === 'main' ? COMMAND_MS : REQUEST_MS);
  const isTakenUp = kind === 'main' && processes.some(({ startedAt }) => isBetween(startedAt));
  return isTakenUp || run.log.some(({ key, at }) => keys.includes(key) && isBetween(at));
};

/** The next program of a session writes down that an agent did not finish that the one before left behind (2.1.325-orphan-resumed). */
const wasTakenUp = (since, until, { processes }) =>
  processes.some(({ startedAt }) => startedAt > since && startedAt < until);

/**
 * After `/branch`, an agent at work goes on for the original, and the copy cannot tell how until the process notes its end, or it gets
 * a task of the copy's.
 */
function isWorkingForOriginal(time, { key, keys, isInherited }, run, { takesProcess, beganAt }) {
  if (!takesProcess || !isInherited) return false;
  const isOfAgent = (entry) => entry.key && run.agentOf(entry.key).key === key;
  const own = run.log.filter(isOfAgent);
  const before = own.filter((entry) => !keys.includes(entry.key));
  const firstOwn = own.find((entry) => keys.includes(entry.key))?.at ?? Number.POSITIVE_INFINITY;
  const lastEnd = Math.max(...before.map(({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY));
  return lastEnd > beganAt && time < Math.min(lastEnd, firstOwn) + NOTICE_MS;
}

/** A state that stayed until the middle of an answer for which the model took some time: the agent worked. */
function findIdleTurn(seen, { keys }, run) {
  const long = run.log.filter(({ key, at, endedAt }) => keys.includes(key) && endedAt - at > 2 * LATE_MS);
  return long
    .map(({ at, endedAt }) => seen.findLast((state) => state.at < (at + endedAt) / 2))
    .find((state) => state && isIdle(state));
}

/** What was shown too late: the first request of an agent, and the end of each of its tasks. */
function findLate(seen, agent, run, expected, { id }) {
  const isMain = agent.kind === 'main';
  // A program without a terminal ends with its main agent; when that is, the check of the tree tells.
  if (isMain && !expected.isTyped) return [];
  const ofSession = ({ hidden, session }) => isMain && hidden && (session === undefined || id.endsWith(session));
  const own = run.log.filter((entry) => agent.keys.includes(entry.key) || ofSession(entry));
  const asked = own.filter(({ key }) => key);
  const begin = Math.min(...asked.map(({ at }) => at));
  const late = [];
  if (!isMain && !(seen[0]?.at < begin + NOTICE_MS))
    late.push({ at: begin, text: 'was not shown after its first request' });
  const isOver = ({ key, index, extra, state }) =>
    state === 'failed' || (state === 'served' && (extra || index === run.instances.get(key).turns.length - 1));
  for (const { at: since, endedAt } of asked.filter(isOver)) {
    const time = endedAt + NOTICE_MS;
    const isAsked = (one) => one.at > since && one.at < time;
    const isOpen = (one) => one.at <= since && !(one.endedAt < endedAt);
    if (own.some((one) => one.endedAt !== endedAt && (isAsked(one) || isOpen(one)))) continue;
    const shown = [
      ...seen.filter(({ at }) => at < endedAt).slice(-1),
      ...seen.filter(({ at }) => at >= endedAt && at < time),
    ];
    // Later, somebody may have woken it.
    const isBusy = ({ status }) => status === 'running' || status === 'spawning';
    if (shown.length > 0 && shown.every(isBusy))
      late.push({ at: endedAt, text: `was still ${shown.at(-1).status} after the end of its task` });
  }
  return late;
}

/** How long troupe may show the state before a prompt: the host asks the model first and writes later. */
const PROMPT_MS = 500;

/** How long a call of an agent may be shown before the agent's first request: on a busy machine a host takes its time. */
const REQUEST_MS = 2_000;

/** The same for main: `/resume` brings it back before anything is asked. */
const COMMAND_MS = 5_000;

/** How long the host and troupe may take together to show that an agent works. */
const LATE_MS = 1_500;

/** How long the host and troupe may take together to show that an agent began, or that it is over. */
const NOTICE_MS = 2_000;

/** How long a typed prompt may take to reach the model. */
const TYPING_MS = 1_000;

/** A session that `/clear` began: nothing was asked in it yet. */
function isBeforePrompt(time, { keys, kind }, run, { isTyped, continuedFrom }, { id }) {
  if (kind !== 'main' || !isTyped || !continuedFrom) return false;
  // A notice of an agent of the session before may come first: it wakes main, and is answered without a script.
  const isOwn = ({ key, wakes }) => keys.includes(key) || (wakes !== undefined && id.endsWith(wakes));
  const times = run.log.filter(isOwn).map(({ at }) => at);
  return times.length > 0 && times.every((at) => at > time + TYPING_MS);
}

/** The same instance asked for a turn before and after this time. */
function isBetweenTurns(time, { keys, kind, isInherited }, run, { isTyped, forkedFrom }) {
  return keys.some((key, index) => {
    const entries = run.log.filter((entry) => entry.key === key);
    const wasIdle = index > 0 || isInherited || (kind === 'main' && (isTyped || forkedFrom));
    const since = time - (wasIdle ? PROMPT_MS : 0);
    // The result of another agent wakes an agent that is over, and in a terminal the main agent, too: all its turns were served.
    // After a compaction the model does not see which turns there were, and gives the last one again.
    const isRepeated = (entry) =>
      entries.some(
        ({ at, index: turn, state }) =>
          state === 'served' &&
          turn >= entry.index &&
          run.log.some((one) => one.summarises === key && isIn(one, at, entry)),
      );
    const isExtra = (entry) => entry.extra || isRepeated(entry);
    const mayRest = (entry) => (kind !== 'main' || isTyped) && isExtra(entry);
    return entries.some((entry) => entry.at <= since) && entries.some((entry) => entry.at > time && !mayRest(entry));
  });
}

const isIn = ({ at }, since, until) => at > since && at < until.at;
