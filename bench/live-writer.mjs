// Appends lines of 2 KB to the transcripts of many agents, evenly over time, and tells what it wrote and when.
import { appendFileSync, statSync } from 'node:fs';
import { lineOf } from './live-corpus.mjs';

process.once('message', ({ agents, seconds, perSecond }) => {
  const log = [];
  const states = agents.map((agent) => ({ ...agent, n: Math.floor(Date.now() / 10), size: statSync(agent.file).size }));
  const total = Math.floor(agents.length * perSecond * seconds);
  const begin = performance.now();
  const timer = setInterval(() => {
    const due = Math.min(total, Math.floor(((performance.now() - begin) / 1000) * agents.length * perSecond));
    while (log.length < due) write(states[log.length % states.length], log);
    if (log.length >= total) {
      clearInterval(timer);
      process.send(log, () => process.disconnect());
    }
  }, 2);
});

/** A call and its result, in turn. */
function write(state, log) {
  const { session, agent, file, source } = state;
  const n = state.n++;
  const time = new Date();
  const call = `toolu_${agent}_${n - (n % 2)}`;
  const blocks =
    n % 2 === 0 ? [{ type: 'tool_use', id: call, name: 'Bash', input: { command: `step ${n}` } }] : undefined;
  const line = lineOf({ session, agent, n, time, bytes: 2048, ...(blocks ? { blocks } : { result: call }) });
  state.size += Buffer.byteLength(line);
  // Before the append: others may hear of it before we are back.
  log.push([source, state.size, performance.timeOrigin + performance.now()]);
  appendFileSync(file, line);
}
