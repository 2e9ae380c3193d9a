// What troupe must show: computed from the turns that the host really got.

/**
 * A fork shows what it copied, as it was at that moment, and what came afterwards in the fork itself. Copied usage is
 * inherited; `output` is the agent's own in this session.
 * @returns sessions, oldest first: { asks, id?, forkedFrom?, continuedFrom?, agents }. An agent is
 * { key, parent, kind, type (if the person defines it), name, description, background, status, calls, output, inherited,
 * isInherited, keys }; the main agent comes first.
 */
export function truthOf(person, { agents: defined = [] }) {
  const { run, sessions, host, version } = person;
  const copying = { history: true, agents: true, ...host.forkCopies?.(version) };
  const busy = host.busyInFork?.(version) ?? 'unknown';
  const typeOf = ({ item }) => defined.find(({ name }) => name === item?.type)?.name ?? null;
  return sessions.map((session) => {
    const copies = copiedBy(session, run, copying);
    const own = [...run.instances.values()].filter((instance) => isAgentOf(instance, session, run));
    const inherited = copies.agents.filter(({ session: isMain }) => !isMain);
    const agents = [...own, ...inherited].map((agent) => ({
      ...describe({ agent, session, sessions, run, copies, busy }),
      type: typeOf(agent),
    }));
    return { ...session, id: idOf(session, run), agents };
  });
}

/** Things the host did not do although the play asks for it. The other checks mean little then. */
export function findUnplayed({ run }) {
  const differences = run.log
    .filter(({ problem }) => problem)
    .map(({ problem }) => `the scripted model failed: ${problem}`);
  for (const instance of run.instances.values()) {
    if (isRefused(instance) || instance.killed) continue;
    const entries = run.log.filter(({ key, extra }) => key === instance.key && !extra);
    if (instance.stopped) {
      if (entries.filter(isDone).length === instance.turns.length)
        differences.push(`${instance.key} ended before it was stopped`);
      continue;
    }
    if (entries.some(({ state }) => state === 'failed')) continue;
    const missing = instance.turns.findIndex((_, index) => !entries.some((one) => one.index === index && isDone(one)));
    if (missing >= 0) differences.push(`${instance.key} did not get turn ${missing} of ${instance.turns.length}`);
  }
  return differences;
}

const isDone = ({ state }) => state === 'served';

const isRefused = ({ item, refused }) => refused === true || item?.refused === true;

function isAgentOf(instance, session, run) {
  if (instance.continues || isRefused(instance)) return false;
  if (instance.session) return instance.session === session && instance.key === session.asks[0];
  return sessionOf(instance, run) === session;
}

/**
 * The session in which an instance was asked for: a fork can give the agent of its original another task. A session that `/clear` began can
 * do so, too, but the agent stays that of the session before; if a fork has no copies of agents, that of the original.
 */
function sessionOf(instance, run) {
  if (instance.session) return instance.session;
  const asking = sessionOf(run.instances.get(instance.madeBy), run);
  const agent = instance.continues && run.agentOf(instance.key);
  const home = agent && agent !== instance ? sessionOf(agent, run) : asking;
  for (let { continuedFrom } = asking; continuedFrom; { continuedFrom } = continuedFrom)
    if (continuedFrom === home) return home;
  for (let { forkedFrom } = asking; run.sharesAgents && forkedFrom; { forkedFrom } = forkedFrom)
    if (forkedFrom === home) return home;
  return asking;
}

/** What a fork holds of the sessions before it: their agents, and the turns that they had got when it began. */
function copiedBy(session, run, copying) {
  const { forkedFrom } = session;
  if (!forkedFrom) return { agents: [], entries: [] };
  const before = copiedBy(forkedFrom, run, copying);
  const began = run.log.find(({ key }) => key === session.asks[0])?.at ?? Number.POSITIVE_INFINITY;
  const reached = run.log.filter(
    ({ key, at }) => key && at < began && sessionOf(run.instances.get(key), run) === forkedFrom,
  );
  const entries = reached.filter(({ endedAt }) => endedAt < began);
  const spawned = [...run.instances.values()].filter(
    (instance) => isAgentOf(instance, forkedFrom, run) && reached.some(({ key }) => key === instance.key),
  );
  const isOver = ({ key, turns }) =>
    entries.filter((entry) => entry.key === key && entry.state === 'served').length === turns.length;
  const isOpen = ({ item, ...agent }) => item && !item.background && !isOver(agent);
  const open = spawned.filter(isOpen);
  const isOpenCall = ({ key, index }) =>
    open.some(({ madeBy, position }) => madeBy === key && Number.parseInt(position, 10) === index);
  // A copy may have the call, and not yet what its turn cost.
  const copyable = entries
    .filter((entry) => copying.openCalls !== false || !isOpenCall(entry))
    .map((entry) => (copying.openUsage === false && isOpenCall(entry) ? { ...entry, output: 0 } : entry));
  const isShown = ({ session: isMain }) => (isMain ? copying.history : copying.agents);
  return {
    agents: [...before.agents, ...spawned.filter((agent) => copying.openCalls !== false || !isOpen(agent))].filter(
      isShown,
    ),
    entries: [...before.entries, ...copyable].filter(({ key }) => isShown(run.agentOf(key))),
  };
}

function describe({ agent, session, sessions, run, copies, busy }) {
  const isMain = agent.session !== undefined;
  const isSame = (key) => (isMain ? run.instances.get(key).session !== undefined : run.agentOf(key) === agent);
  const copied = copies.entries.filter(({ key }) => isSame(key));
  const isInherited = !isMain && copies.agents.includes(agent);
  const keys = isMain
    ? session.asks
    : [...run.instances.values()]
        .filter((one) => run.agentOf(one.key) === agent && sessionOf(one, run) === session && !isRefused(one))
        .map(({ key }) => key);
  const isWoken = ({ wakes }) => isMain && wakes !== undefined && wakes === idOf(session, run);
  const own = run.log.filter((entry) => keys.includes(entry.key) || isWoken(entry));
  const served = (entries) => entries.filter(({ state }) => state === 'served');
  const sum = (entries, field) => served(entries).reduce((total, entry) => total + entry[field], 0);
  // A call that the host adds to the conversation is in every later request.
  const hostCalls = Math.max(0, ...served(own).map((entry) => entry.hostCalls ?? 0));
  const frozen = isInherited && keys.length === 0;
  return {
    key: agent.key,
    keys,
    parent: isMain ? null : parentIn(agent, session, run),
    kind: isMain ? 'main' : (agent.item.kind ?? 'task'),
    name: agent.item?.name ?? null,
    description: agent.description ?? null,
    prompt: agent.prompt ?? null,
    background: agent.item?.background === true,
    status:
      isMain && session.staysOpen
        ? 'waiting'
        : frozen
          ? frozenStatus({ agent, copied, run, busy, session, sessions })
          : statusOf(keys, run),
    calls: sum(own, 'calls') + sum(copied, 'calls') + hostCalls,
    output: sum(own, 'output'),
    inherited: sum(copied, 'output'),
    isInherited,
    isFrozen: frozen,
  };
}

/** A terminal does not print the id of its session; requests to the model name it. */
export const idOf = ({ id, asks }, run) => id ?? run.log.find(({ key }) => key === asks[0])?.session;

/** In a fork, the agents of main belong to the fork's main agent. */
function parentIn(agent, session, run) {
  return run.instances.get(agent.parent).session ? session.asks[0] : agent.parent;
}

/** The last instance decides: an agent that failed can be given another task. @returns a status, or 'interrupted' */
function statusOf(keys, run) {
  const last = run.instances.get(keys.at(-1));
  if (last.killed) return last.killed;
  if (last.stopped) return 'stopped';
  return run.log.some(({ key, state }) => key === last.key && state === 'failed') ? 'failed' : 'completed';
}

/** An agent that still worked when the session was copied goes on in the other session alone. */
function frozenStatus({ agent, copied, run, busy, session, sessions }) {
  const key = copied.at(-1)?.key ?? agent.key;
  const got = copied.filter((entry) => entry.key === key);
  const isOver = run.instances.get(key).turns.every((_, index) => got.some((entry) => entry.index === index));
  if (isOver || got.some(({ state }) => state === 'failed')) return statusOf([key], run);
  // `/branch` takes along the process, which notes the end of the agent in the copy, unless it has left the copy before.
  if (session.takesProcess) {
    const next = sessions.find(
      ({ continuedFrom, forkedFrom, takesProcess }) => (takesProcess ? forkedFrom : continuedFrom) === session,
    );
    const leftAt = next?.beganAt ?? Number.POSITIVE_INFINITY;
    const isNoted = run.log.every((entry) => entry.key !== key || entry.endedAt < leftAt);
    return isNoted ? statusOf([key], run) : 'unknown';
  }
  // A fork that resumes the session is told about the agents of main in the background; one that `/fork` starts is not.
  const isTold = run.instances.get(agent.parent).session && agent.item.background && agent.item.kind !== 'teammate';
  return isTold && !session.staysOpen ? busy : 'unknown';
}
