// What troupe must show: computed from the turns that the host really got.

/**
 * @returns sessions, oldest first: { asks, id?, forkedFrom?, continuedFrom?, agents }. An agent is
 * { key, parent, kind, name, description, background, status, calls, output, keys }; the main agent comes first.
 */
export function truthOf(person) {
  const { run, sessions } = person;
  return sessions.map((session) => {
    const agents = [...run.instances.values()].filter((instance) => isAgentOf(instance, session, run));
    return { ...session, agents: agents.map((agent) => describe(agent, session, run)) };
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

const isRefused = ({ item }) => item?.refused === true;

function isAgentOf(instance, session, run) {
  if (instance.continues || isRefused(instance)) return false;
  if (instance.session) return instance.session === session && instance.key === session.asks[0];
  return rootSession(instance, run) === session;
}

function rootSession(instance, run) {
  if (instance.session) return instance.session;
  return rootSession(run.instances.get(instance.parent), run);
}

function describe(agent, session, run) {
  const isMain = agent.session !== undefined;
  const keys = isMain ? session.asks : [...run.instances.keys()].filter((key) => run.agentOf(key) === agent);
  const entries = run.log.filter(({ key, state }) => keys.includes(key) && state === 'served');
  const sum = (field) => entries.reduce((total, entry) => total + entry[field], 0);
  // A call that the host adds to the conversation is in every later request.
  const hostCalls = Math.max(0, ...entries.map((entry) => entry.hostCalls ?? 0));
  return {
    key: agent.key,
    keys,
    parent: isMain ? null : agent.parent,
    kind: isMain ? 'main' : (agent.item.kind ?? 'task'),
    name: agent.item?.name ?? null,
    description: agent.description ?? null,
    prompt: agent.prompt ?? null,
    background: agent.item?.background === true,
    status: isMain && session.staysOpen ? 'waiting' : statusOf(keys, run),
    calls: sum('calls') + hostCalls,
    output: sum('output'),
  };
}

/** The last instance decides: an agent that failed can be given another task. */
function statusOf(keys, run) {
  const last = run.instances.get(keys.at(-1));
  if (last.killed) return 'unknown';
  if (last.stopped) return 'stopped';
  return run.log.some(({ key, state }) => key === last.key && state === 'failed') ? 'failed' : 'completed';
}
