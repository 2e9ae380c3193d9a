// The person who uses a host: starts programs, gives prompts, waits for what the model was asked.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { Terminal } from './terminal.mjs';
import { idOf } from './truth.mjs';

/** A wait that takes longer than this ends the cell. */
const PATIENCE_MS = 60_000;
/** After this time, Enter is pressed again. */
const ENTER_MS = 5_000;

export class Person {
  constructor({ host, version, program, node, sandbox, model, observer }) {
    Object.assign(this, { host, version, program, node, sandbox, observer, run: model.run, url: model.url });
    /** The sessions that must exist in the end, oldest first. */
    this.sessions = [];
    this.runs = 0;
    this.terminals = [];
  }

  /**
   * Runs the host without a terminal, until it ends. Options: resume, fork or latest (a session; `latest` lets the host find it), server
   * (an address), cwd, env. @returns its session
   */
  async print(script, options = {}) {
    const started = await this.start(script, options);
    await this.ended(started);
    return started.session;
  }

  /** The same, without waiting for the end. */
  async start(script, { resume, fork, latest, server, cwd, env } = {}) {
    const from = fork ?? resume ?? latest;
    const isCopy = fork !== undefined || (from !== undefined && this.host.resumeForks?.(this.version) === true);
    const session = isCopy || !from ? this.newSession({ forkedFrom: from }) : from;
    const instance = this.ask(script, session);
    const prompt = `Please do the job. ${instance.mark}`;
    const how = { resume: (resume ?? fork)?.id, fork: fork !== undefined, latest: latest !== undefined, server };
    const args = this.host.printArgs(prompt, how, this.version);
    this.runs++;
    const name = `run-${this.runs}`;
    const process = this.sandbox.start({ ...this.commandLine(args), env: this.environment(env), name, cwd });
    session.printed.push(process.stdout);
    session.processes.push(process);
    return { session, process };
  }

  /** The id of a session whose program still runs, as soon as it has printed it. */
  async named({ session, process }) {
    await this.patiently('the session has no id', () => {
      session.id ??= this.host.sessionId?.(process.stdout);
      return session.id !== undefined;
    });
  }

  /** Waits for the end of a program that `start` began. */
  async ended({ session, process }) {
    const end = await process.ended;
    if (end.timedOut) throw new Error(`${this.host.title} did not end in time.`);
    session.id ??= this.host.sessionId?.(process.stdout);
    return end;
  }

  /**
   * Ends a program by a signal. What it had not finished must be unknown afterwards; if the program, or a server that it leaves behind, can
   * write down that it was interrupted, it may be stopped, too.
   */
  async kill({ session, process }, signal) {
    process.kill(signal);
    session.wasKilled = true;
    await this.ended({ session, process });
    const isWritten = signal !== 'SIGKILL' || this.host.outlivesKill?.(this.version) === true;
    this.giveUp(isWritten ? 'interrupted' : 'unknown');
  }

  /** What no program has finished, none will. */
  giveUp(status) {
    for (const instance of this.run.instances.values()) {
      const isDone = instance.turns.every((_, index) =>
        this.run.log.some((entry) => entry.key === instance.key && entry.index === index && entry.state === 'served'),
      );
      if (!isDone) instance.killed = status;
    }
  }

  /** The options that the help of the host names. */
  async readOptions() {
    const args = this.host.helpArgs ?? ['--help'];
    const { ended, stdout } = this.sandbox.start({ ...this.commandLine(args), env: this.environment(), name: 'help' });
    await ended;
    const text = readFileSync(stdout, 'utf8') + readFileSync(stdout.replace(/stdout$/, 'stderr'), 'utf8');
    return [...new Set(text.match(/--[a-z][\w-]+/g))].toSorted();
  }

  /** Starts the server of the host. @returns its address */
  async serve() {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    this.sandbox.start({ ...this.commandLine(this.host.serverArgs(port)), env: this.environment(), name: 'server' });
    const end = Date.now() + PATIENCE_MS;
    const health = `${url}${this.host.healthPath}`;
    while (!(await fetch(health, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined))) {
      if (Date.now() > end) throw new Error(`The server of ${this.host.title} did not start.`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return url;
  }

  newSession(links = {}) {
    const session = { beganAt: Date.now(), asks: [], printed: [], processes: [], ...links };
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

  /** The host has asked for this turn in `count` instances of the script. */
  reachedTimes(script, index, count) {
    return this.patiently(`${script} turn ${index} was not asked for ${count} times`, () => {
      const entries = this.run.entriesOf(script).filter((entry) => entry.index === index);
      return new Set(entries.map(({ key }) => key)).size >= count;
    });
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

  /** So many requests that no script covers (summaries, titles) were answered. */
  servedHidden(reason, count) {
    return this.patiently(`${count} requests without a script were not answered`, () => {
      const hidden = this.run.log.filter((entry) => reason.test(entry.hidden ?? '') && entry.state !== 'reached');
      return hidden.length >= count;
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
    // A terminal does not print the id of its session: then the last one of the folder is resumed.
    const last = resume !== undefined && resume.id === undefined;
    const args = this.host.terminalArgs({ resume: (resume ?? fork)?.id, last, fork: fork !== undefined });
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
    const { run } = this.person;
    const isAsked = () => run.log.some(({ key }) => key === instance.key);
    // Codex takes an Enter soon after the text for a part of what was pasted.
    await run.until(isAsked, AbortSignal.timeout(ENTER_MS)).catch(() => this.terminal.press('Enter'));
    await this.person.patiently(`${instance.key} was not asked for`, isAsked);
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
    const session = this.person.newSession({ continuedFrom: this.session });
    await this.type('/clear');
    this.enterSession(session);
  }

  /** Types `/branch`, or what the version calls it: the program goes on in a copy of the session. */
  async branch() {
    const before = this.session;
    await this.type(this.person.host.branchCommand(this.person.version));
    this.enterSession(this.person.newSession({ forkedFrom: before, takesProcess: true }));
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

  /** The id of the session, so that it can be resumed or forked. */
  name() {
    this.session.id = idOf(this.session, this.person.run);
  }

  /** Nothing is asked of the model (but by scripts that are held) and nothing moves on the screen. */
  async settled(held = []) {
    const { run } = this.person;
    await this.person.patiently('a request is not answered', () =>
      run.log.every(({ key, state }) => state !== 'reached' || (key && held.includes(run.instances.get(key).script))),
    );
    await this.terminal.still(2_000);
  }

  kill(signal) {
    this.terminal.kill(signal);
    this.session.wasKilled = true;
    this.person.giveUp(signal === 'SIGKILL' ? 'unknown' : 'interrupted');
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

const findFreePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
