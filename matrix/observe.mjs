// The troupe server beside the host: every state of every agent that it showed, with the time.
import http from 'node:http';

/** The stream of events is quiet for this long when troupe has read everything. */
const QUIET_MS = 1_500;
const LONGEST_MS = 20_000;

export async function observe(troupe) {
  const server = await troupe.serve();
  const observer = new Observer(server);
  await observer.connect();
  return observer;
}

class Observer {
  constructor(server) {
    this.server = server;
    /** Changes, oldest first: { at, session, agents: [state] }; `agents` are all agents of the session at that time. */
    this.states = [];
    this.current = new Map();
    this.lastEventAt = Date.now();
  }

  connect() {
    const headers = { authorization: `Bearer ${this.server.token}` };
    return new Promise((resolve, reject) => {
      const request = http.get(`${this.server.url}/api/events`, { headers, agent: false }, (response) => {
        response.setEncoding('utf8');
        let rest = '';
        response.on('data', (chunk) => {
          const frames = (rest + chunk).split('\n\n');
          rest = frames.pop();
          for (const frame of frames) this.receive(frame);
          resolve();
        });
        response.on('error', () => {});
      });
      request.on('error', reject);
      this.request = request;
    });
  }

  receive(frame) {
    const name = /^event: (\w+)$/m.exec(frame)?.[1];
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    if (!name || !data) return;
    this.lastEventAt = Date.now();
    const event = JSON.parse(data);
    if (name === 'snapshot') {
      this.current = new Map(event.sessions.map((one) => [one.id, new Map([one.main, ...one.subagents].map(byId))]));
      for (const session of this.current.keys()) this.note(session);
    }
    if (name === 'gone') {
      this.current.delete(event.sessionId);
      this.note(event.sessionId);
    }
    if (name !== 'change') return;
    const agents = this.current.get(event.sessionId) ?? new Map();
    for (const agent of event.agents) agents.set(agent.id, agent);
    for (const id of event.removed) agents.delete(id);
    this.current.set(event.sessionId, agents);
    this.note(event.sessionId);
  }

  note(session) {
    const agents = [...(this.current.get(session)?.values() ?? [])].map(stateOf);
    this.states.push({ at: Date.now(), session, agents });
  }

  /** Resolves when troupe has shown the end of everything that the host wrote. */
  async settled(quietMs = QUIET_MS) {
    const started = Date.now();
    const isQuiet = () => Date.now() - Math.max(this.lastEventAt, started) > quietMs;
    while (!isQuiet() && Date.now() - started < LONGEST_MS) await new Promise((resolve) => setTimeout(resolve, 100));
  }

  async stop() {
    this.request?.destroy();
    await this.server.stop();
  }
}

const byId = (agent) => [agent.id, agent];

const stateOf = ({ id, kind, status, waitingOn, parentId, toolCallCount, label, internal }) => ({
  ...{ id, kind, status, waitingOn, parentId, label, internal },
  calls: toolCallCount,
});
