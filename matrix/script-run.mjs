// One performance of a play: which instances of its scripts exist, which turns the host asked for, which it got.
// This record is the truth that troupe's output is compared with.
const MARK = /\(script: ([\w-]+)#(\d+)\)/g;

/** Answers to requests that no script covers: a woken main agent, titles, summaries. */
const EXTRA_OUTPUT = 1;
const HIDDEN_OUTPUT = 7;

export class ScriptRun {
  /**
   * @param host `turnsFor`: turns of a script in the way it needs them; `sharesAgents`: a fork can give agents of its original
   * another task, and they stay agents of the original
   */
  constructor(play, { turnsFor = (turns) => turns, sharesAgents = false }) {
    this.play = play;
    this.turnsFor = turnsFor;
    this.sharesAgents = sharesAgents;
    this.instances = new Map();
    this.log = [];
    this.released = new Set();
    this.watchers = new Set();
  }

  /** A new instance of a script. Its mark goes into a prompt; its number makes it unique. */
  start(script, facts) {
    const turns = this.play.scripts[script];
    if (!turns) throw new Error(`The play has no script "${script}".`);
    const number = this.instances.size + 1;
    const key = `${script}#${number}`;
    const instance = { ...facts, key, script, number, mark: `(script: ${key})`, turns: this.turnsFor(turns) };
    this.instances.set(key, instance);
    return instance;
  }

  /**
   * The instance a conversation plays, and which of its turns comes next.
   * The last mark counts; several messages of the model in a row are one answer.
   */
  find(messages) {
    for (let at = messages.length - 1; at >= 0; at--) {
      if (messages[at].role !== 'user') continue;
      const mark = [...messages[at].text.matchAll(MARK)].at(-1);
      if (!mark) continue;
      const instance = this.instances.get(`${mark[1]}#${mark[2]}`);
      if (!instance) return null;
      return { instance, index: countAnswers(messages.slice(at + 1)) };
    }
    return null;
  }

  noteSummary({ instance, index }) {
    instance.summarisedAt = index + (instance.before ?? 0);
  }

  /** As `find`. A summary may replace all answers so far (1.0.60), or the latest may be kept behind it. */
  findNext(messages) {
    const found = this.find(messages);
    if (!found) return null;
    const { instance, index } = found;
    if (instance.summarisedAt !== undefined) instance.before = index === 0 ? instance.summarisedAt : 0;
    delete instance.summarisedAt;
    return { instance, index: index + (instance.before ?? 0) };
  }

  /** An agent that is woken after `/clear` does not know its prompt any more. */
  findAgent(id) {
    const before = id && this.log.findLast(({ agent, key }) => agent === id && key);
    if (!before) return null;
    const instance = this.instances.get(before.key);
    return { instance, index: Math.max(before.index + 1, instance.turns.length) };
  }

  /** Notes that a request arrived. Returns the entry to finish with `served`. */
  reach({ instance, index, hidden, ids }) {
    const turn = instance?.turns[index];
    // Claude Code asks again if it gets no answer for 30 seconds; it takes the answer to the last request only.
    for (const other of this.log) {
      if (!hidden && other.key === instance.key && other.index === index && other.state === 'reached')
        other.state = 'repeated';
    }
    const entry = {
      at: Date.now(),
      ...(hidden ? { hidden } : { key: instance.key, index, extra: turn === undefined }),
      ...ids,
      calls: 0,
      output: outputOf(instance, index, hidden, turn),
      state: 'reached',
    };
    this.log.push(entry);
    this.notify();
    return entry;
  }

  /** @param state 'served', 'failed' (the scripted API error), 'overloaded' (one that hosts retry) or 'aborted' (the host closed the connection); a request that the host repeated stays 'repeated' */
  finish(entry, state, usage) {
    Object.assign(entry, { state: entry.state === 'repeated' ? 'repeated' : state, usage, endedAt: Date.now() });
    this.notify();
  }

  release(name) {
    this.released.add(name);
    this.notify();
  }

  untilReleased(name, signal) {
    return this.until(() => this.released.has(name), signal);
  }

  /** Entries of one script, of all its instances. */
  entriesOf(script) {
    return this.log.filter(({ key }) => key && this.instances.get(key).script === script);
  }

  /** Resolves when the condition holds; rejects when the signal aborts. It is checked after each request. */
  until(condition, signal) {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (signal?.aborted) reject(signal.reason);
        else if (condition()) resolve();
        else return false;
        this.watchers.delete(check);
        return true;
      };
      if (check()) return;
      this.watchers.add(check);
      signal?.addEventListener('abort', check, { once: true });
    });
  }

  notify() {
    for (const check of [...this.watchers]) check();
  }

  /** The agent of an instance, as its first instance: prompts to a main agent and messages to an agent add more. */
  agentOf(key) {
    const instance = this.instances.get(key);
    if (instance.session) return this.instances.get(instance.session.asks[0]);
    return instance.continues ? this.agentOf(instance.continues) : instance;
  }
}

function countAnswers(messages) {
  const named = new Set();
  let count = 0;
  for (const [index, { role, answer }] of messages.entries()) {
    if (role !== 'assistant' || messages[index - 1]?.role === 'assistant' || named.has(answer)) continue;
    if (answer) named.add(answer);
    count++;
  }
  return count;
}

/** A number that no other turn has, so that a wrong sum shows which turn is missing. */
function outputOf(instance, index, hidden, turn) {
  if (hidden) return HIDDEN_OUTPUT;
  return turn ? 100 * instance.number + index + 1 : EXTRA_OUTPUT;
}
