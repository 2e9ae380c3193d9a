// The person who uses a host: starts programs, gives prompts, waits for what the model was asked.
import { Terminal } from './terminal.mjs';

/** A wait that takes longer than this ends the cell. */
const PATIENCE_MS = 60_000;

export class Person {
  constructor({ host, version, program, node, sandbox, model, observer }) {
    Object.assign(this, { host, version, program, node, sandbox, observer, run: model.run, url: model.url });
    /** The sessions that must exist in the end, oldest first. */
    this.sessions = [];
    this.runs = 0;
    this.terminals = [];
  }

  /** Runs the host without a terminal, until it ends. Options: resume or fork (a session), env. @returns its session */
  async print(script, options = {}) {
    const started = await this.start(script, options);
    await this.ended(started);
    return started.session;
  }

  /** The same, without waiting for the end. */
  async start(script, { resume, fork, env } = {}) {
    const session = resume ?? this.newSession({ forkedFrom: fork });
    const instance = this.ask(script, session);
    const prompt = `Please do the job. ${instance.mark}`;
    const args = this.host.printArgs(prompt, { resume: (resume ?? fork)?.id, fork: fork !== undefined }, this.version);
    this.runs++;
    const name = `run-${this.runs}`;
    const process = this.sandbox.start({ ...this.commandLine(args), env: this.environment(env), name });
    session.printed.push(process.stdout);
    session.processes.push(process);
    return { session, process };
  }

  /** Waits for the end of a program that `start` began. */
  async ended({ session, process }) {
    const end = await process.ended;
    if (end.timedOut) throw new Error(`${this.host.title} did not end in time.`);
    session.id ??= this.host.sessionId?.(process.stdout);
    return end;
  }

  /** Ends a program by a signal. What it had not finished must be unknown afterwards. */
  async kill({ session, process }, signal) {
    process.kill(signal);
    session.wasKilled = true;
    await this.ended({ session, process });
    for (const instance of this.run.instances.values()) {
      const isDone = instance.turns.every((_, index) =>
        this.run.log.some((entry) => entry.key === instance.key && entry.index === index && entry.state === 'served'),
      );
      if (!isDone) instance.killed = true;
    }
  }

  newSession(links = {}) {
    const session = { asks: [], printed: [], processes: [], ...links };
    this.sessions.push(session);
    return session;
  }

  /** An instance of a script that a main agent plays. */
  ask(script, session) {
    const instance = this.run.start(script, { session });
    session.asks.push(instance.key);
    return instance;
  }

  commandLine(args) {
    const isScript = /\.[cm]?js$/.test(this.program);
    return isScript ? { command: this.node, args: [this.program, ...args] } : { command: this.program, args };
  }

  environment(extra) {
    return { ...this.host.environment(this.url, this.sandbox), ...extra };
  }

  /** The host has asked for this turn of a script. */
  reached(script, index = 0) {
    return this.patiently(`${script} turn ${index} was not asked for`, () =>
      this.run.entriesOf(script).some((entry) => entry.index === index),
    );
  }

  /** The host has got this turn of a script. */
  served(script, index = 0) {
    return this.patiently(`${script} turn ${index} was not answered`, () =>
      this.run.entriesOf(script).some((entry) => entry.index === index && entry.state !== 'reached'),
    );
  }

  /** The host has written what it did so far: troupe sees no change for a moment. */
  async quiet() {
    await this.observer.settled(700);
  }

  /** This turn was answered in `count` instances of the script. */
  servedTimes(script, index, count) {
    return this.patiently(`${script} turn ${index} was not answered ${count} times`, () => {
      const entries = this.run.entriesOf(script).filter((entry) => entry.index === index && entry.state !== 'reached');
      return new Set(entries.map(({ key }) => key)).size >= count;
    });
  }

  release(name) {
    this.run.release(name);
  }

  async patiently(problem, condition) {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    await this.run.until(condition, signal).catch(() => {
      throw new Error(`The host stopped playing: ${problem} within ${PATIENCE_MS / 1000} s.`);
    });
  }

  /** Opens the host in a terminal. Options: resume or fork (a session), env, seesTmux. */
  async terminal({ resume, fork, env, seesTmux } = {}) {
    const session = resume ?? this.newSession({ forkedFrom: fork });
    const args = this.host.terminalArgs({ resume: (resume ?? fork)?.id, fork: fork !== undefined });
    const name = `terminal-${this.terminals.length + 1}`;
    const options = { ...this.commandLine(args), env: this.environment(env), name, seesTmux };
    const desk = new PersonAtTerminal(this, new Terminal({ sandbox: this.sandbox, ...options }), session);
    this.terminals.push(desk.terminal);
    await desk.terminal.still();
    return desk;
  }

  /** Ends what is still running. */
  close() {
    for (const terminal of this.terminals) terminal.close();
  }
}

/** What a person does in one terminal. `session` is the one that the program is in now. */
class PersonAtTerminal {
  constructor(person, terminal, session) {
    Object.assign(this, { person, terminal });
    this.enterSession(session);
  }

  enterSession(session) {
    this.session = session;
    session.isTyped = true;
    session.processes.push(this.terminal.process);
  }

  /** Gives a prompt. Resolves when the model has been asked for its first turn. */
  async ask(script) {
    const instance = this.person.ask(script, this.session);
    await this.terminal.enter(`Please do the job. ${instance.mark}`);
    await this.person.patiently(`${instance.key} was not asked for`, () =>
      this.person.run.log.some(({ key }) => key === instance.key),
    );
  }

  /** Types a command of the host and waits until the screen is still. */
  async type(text) {
    await this.terminal.enter(text);
    await this.terminal.still();
  }

  async press(key) {
    this.terminal.press(key);
    await this.terminal.still();
  }

  /** Types `/clear`: the program goes on in a new session. */
  async clear() {
    const before = this.session;
    await this.type('/clear');
    this.enterSession(this.person.newSession({ continuedFrom: before }));
  }

  /** Types `/fork` with a prompt: a copy of the session plays the script in the background. */
  async fork(script) {
    // Its process waits for more prompts after the last turn.
    const session = this.person.newSession({ forkedFrom: this.session, staysOpen: true });
    session.processes.push(this.terminal.process);
    const instance = this.person.ask(script, session);
    await this.type(`/fork Look around. ${instance.mark}`);
    await this.person.reached(script, 0);
  }

  /** Nothing is asked of the model and nothing moves on the screen. */
  async settled() {
    await this.person.patiently('a request is not answered', () =>
      this.person.run.log.every(({ state }) => state !== 'reached'),
    );
    await this.terminal.still(2_000);
  }

  async exit() {
    await this.terminal.enter('/exit');
    if (await this.terminal.untilEnded(5_000)) return;
    // Completion of a half-typed command may have taken the first Enter.
    this.terminal.press('Enter');
    if (!(await this.terminal.untilEnded(10_000)))
      throw new Error(`${this.person.host.title} did not end after /exit.`);
  }
}
