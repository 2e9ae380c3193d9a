import type { ChildProcess } from 'node:child_process';
import type { ControlAnswer, ControlCapability, ControlEvent, ControlPlan } from '../hosts/index.ts';
import { isObject, type JsonObject, parseJsonBytes } from '../lib/json.ts';
import { createLineSplitter, type Line } from '../lib/lines.ts';
import { messageOf } from '../lib/user-error.ts';

/** A call in front of which the program waits. */
export interface WaitingCall {
  /** The payload a hook would get. */
  readonly payload: unknown;
  /** The host's id of it. */
  readonly call: string | undefined;
  /** The program has asked about it by itself, because nobody had an opinion before. */
  readonly isQuestion: boolean;
  /** Aborted where the program waits no more. */
  readonly signal: AbortSignal;
}

export interface SteerOptions {
  readonly control: ControlCapability;
  readonly plan: ControlPlan;
  /** To the program; whole lines. */
  send(text: string): void;
  /** Nothing more will be said to it. */
  endInput(): void;
  /** What the person, or the next program, is to see of it. */
  print(bytes: Uint8Array): void;
  decide(call: WaitingCall): Promise<ControlAnswer>;
  onError(error: unknown): void;
}

/** Notices of agents that ended in the background start another turn a moment later. */
const SETTLE_MS = 700;
/** Messages that come in the middle of a turn may be answered in it: then fewer turns end than messages were said. */
const JOINED_MS = 3_000;
/** Agents in the background end a second after the program has agreed to it; 2.1.100 agrees, and lets some go on. */
const STOPPED_WITHIN_MS = 8_000;
const NEWLINE = new Uint8Array([10]);

/**
 * Both sides of the conversation with a program that asks before each call. Its answers go to `print` as it would have printed
 * them by itself; control messages stay here. Its input stays open as long as it may still ask.
 */
export class Steering {
  readonly #options: SteerOptions;
  readonly #splitter = createLineSplitter({ maxLineBytes: Number.MAX_SAFE_INTEGER });
  /** Calls the program waits for, by request. */
  readonly #waiting = new Map<string, AbortController>();
  /** By call, until the program's own question about it was answered, which may never come. */
  readonly #answered = new Map<string, { readonly payload: unknown; readonly answer: Promise<ControlAnswer> }>();
  readonly #replies = new Map<string, (trouble: string | undefined) => void>();
  /** Records the last words are made of. */
  readonly #kept: JsonObject[] = [];
  readonly #working = new Set<string>();
  readonly #messages = new AgentMessages();
  readonly #stopping = new Map<string, (isStopped: boolean) => void>();
  #requests = 0;
  /** Messages of the person whose turns have not ended. */
  #openTurns = 0;
  #isGreeted = false;
  #isFinished = false;
  #isEnded = false;
  #isInTurn = false;
  #hadWork = false;
  #endTimer: NodeJS.Timeout | undefined;

  constructor(options: SteerOptions) {
    this.#options = options;
  }

  /** Something can still be said to the program. */
  get isOpen(): boolean {
    return !this.#isEnded;
  }

  /** What the program printed. */
  push(chunk: Uint8Array): void {
    for (const line of this.#splitter.push(chunk)) this.#read(line);
  }

  /** A message of the person, to the main agent. */
  say(text: string): void {
    this.#greet();
    this.#beginTurn();
    this.#write(this.#options.control.say(text));
  }

  /** A line from a caller that speaks the program's own protocol. */
  passLine(bytes: Uint8Array): void {
    const { control, send } = this.#options;
    const value = parseJsonBytes(bytes);
    const line = isObject(value) ? value : undefined;
    if (line && !this.#isGreeted && control.isGreeting(line)) {
      this.#greet(line);
      return;
    }
    this.#greet();
    if (line && control.isMessage(line)) this.#beginTurn();
    clearTimeout(this.#endTimer);
    if (!this.#isEnded) send(`${Buffer.from(bytes).toString('utf8')}\n`);
  }

  /** To a sub-agent, which reads it with its next call or when it is about to end. False: it ended without. */
  async tellAgent(agent: string, text: string): Promise<boolean> {
    return this.#isEnded ? false : this.#messages.add(agent, text);
  }

  /** Ends a sub-agent. False: the program said yes, and the agent goes on. Rejects if the program refuses. */
  async stopAgent(agent: string): Promise<boolean> {
    const isStopped = this.#working.has(agent) ? this.#awaitStop(agent) : true;
    await this.#request((request) => this.#options.control.stopAgent(request, agent));
    return isStopped;
  }

  /** Ends the turn of the main agent. Rejects if the program refuses. */
  interrupt(): Promise<void> {
    return this.#request(this.#options.control.interrupt);
  }

  /** The person has said everything: the input ends when the program has done it all. */
  finishInput(): void {
    this.#isFinished = true;
    this.#endWhenDone();
  }

  /** The program has ended: prints the rest, and settles everything that still waits. */
  end(): void {
    const { control, plan, print } = this.#options;
    clearTimeout(this.#endTimer);
    this.#isEnded = true;
    const rest = this.#splitter.rest();
    if (rest) this.#read(rest);
    for (const controller of this.#waiting.values()) controller.abort();
    this.#messages.dropAll();
    for (const settle of [...this.#stopping.values()]) settle(true);
    for (const reply of [...this.#replies.values()]) reply('the program has ended');
    if (plan.output === 'last') print(new TextEncoder().encode(control.lastWords(plan.form, this.#kept)));
  }

  #write(line: JsonObject): void {
    if (!this.#isEnded) this.#options.send(`${JSON.stringify(line)}\n`);
  }

  #nextRequest(): string {
    return `troupe-${++this.#requests}`;
  }

  #greet(theirs?: JsonObject): void {
    if (this.#isGreeted) return;
    this.#isGreeted = true;
    this.#write(this.#options.control.greet(this.#nextRequest(), theirs));
  }

  #beginTurn(): void {
    this.#openTurns++;
    this.#isInTurn = true;
    clearTimeout(this.#endTimer);
  }

  #endWhenDone(): void {
    clearTimeout(this.#endTimer);
    const isBusy = this.#working.size > 0 || this.#waiting.size > 0 || this.#isInTurn;
    if (!this.#isFinished || isBusy || this.#isEnded) return;
    const ms = this.#openTurns > 0 ? JOINED_MS : this.#hadWork ? SETTLE_MS : 0;
    this.#endTimer = setTimeout(() => {
      this.#isEnded = true;
      this.#options.endInput();
    }, ms);
  }

  #answerCall({ request, payload, call }: Extract<ControlEvent, { kind: 'call' }>): void {
    const { control, onError } = this.#options;
    const decided = this.#decide(request, { payload, call, isQuestion: false });
    if (call !== undefined) this.#answered.set(call, { payload, answer: decided });
    const line = (answer: ControlAnswer): JsonObject =>
      control.answerCall(request, answer, payload, this.#messages.take(control.callerIn(payload)));
    void decided.then((answer) => this.#finish(request, () => line(answer))).catch(onError);
  }

  async #answerQuestion(
    { request, call }: Extract<ControlEvent, { kind: 'question' }>,
    pass: () => void,
  ): Promise<void> {
    const { control, plan } = this.#options;
    const before = call === undefined ? undefined : this.#answered.get(call);
    const first = await before?.answer;
    // Without an opinion in front of a call, the program decides, and now asks its person.
    const isOpen = first === undefined || (first.kind === 'printed' && !control.isDecided(first.printed));
    if (isOpen && plan.asksCaller) return pass();
    const payload = before?.payload;
    const answer = isOpen ? await this.#decide(request, { payload, call, isQuestion: true }) : first;
    this.#finish(request, () => control.answerQuestion(request, answer, payload));
  }

  async #decide(request: string, call: Omit<WaitingCall, 'signal'>): Promise<ControlAnswer> {
    const controller = new AbortController();
    this.#waiting.set(request, controller);
    try {
      return await this.#options.decide({ ...call, signal: controller.signal });
    } catch (error) {
      this.#options.onError(error);
      return { kind: 'deny', reason: `The guard of troupe failed: ${messageOf(error)}` };
    }
  }

  #finish(request: string, line: () => JsonObject): void {
    const isAwaited = this.#waiting.delete(request);
    if (isAwaited || !this.#isEnded) this.#write(line());
    this.#endWhenDone();
  }

  #request(lineOf: (request: string) => JsonObject): Promise<void> {
    const request = this.#nextRequest();
    return new Promise((resolve, reject) => {
      if (this.#isEnded) return reject(new Error('its input has ended'));
      this.#replies.set(request, (trouble) => {
        this.#replies.delete(request);
        if (trouble === undefined) resolve();
        else reject(new Error(trouble));
      });
      this.#write(lineOf(request));
    });
  }

  #awaitStop(agent: string): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isStopped: boolean): void => {
        clearTimeout(timer);
        this.#stopping.delete(agent);
        resolve(isStopped);
      };
      const timer = setTimeout(() => settle(false), STOPPED_WITHIN_MS);
      timer.unref();
      this.#stopping.set(agent, settle);
    });
  }

  #read(line: Line): void {
    const value = parseJsonBytes(line.bytes);
    const record = isObject(value) ? value : undefined;
    const news = record && this.#options.control.read(record);
    // Any other output also delays the end of the input.
    if (!news) this.#endWhenDone();
    const pass = (): void => this.#show(line, record, news);
    if (!news || this.#isOutput(news, pass)) pass();
  }

  #show(line: Line, record: JsonObject | undefined, news: ControlEvent | undefined): void {
    const { plan, print } = this.#options;
    if (plan.output === 'lines') {
      print(line.bytes);
      if (!line.torn) print(NEWLINE);
    } else if (record && (news?.kind === 'turn-over' || plan.needsAllLines)) this.#kept.push(record);
  }

  /** Handles the record, and says whether it is output as well; `pass` makes it that later. */
  #isOutput(news: ControlEvent, pass: () => void): boolean {
    const { control, plan, onError } = this.#options;
    switch (news.kind) {
      case 'call':
        this.#answerCall(news);
        return false;
      case 'question':
        void this.#answerQuestion(news, pass).catch(onError);
        return false;
      case 'agent-ending':
        this.#write(control.answerEnding(news.request, this.#messages.take(news.agent)));
        return false;
      case 'withdrawn': {
        const controller = this.#waiting.get(news.request);
        this.#waiting.delete(news.request);
        controller?.abort();
        return controller === undefined;
      }
      case 'reply': {
        const reply = this.#replies.get(news.to);
        reply?.(news.trouble);
        return reply === undefined && plan.input === 'lines' && !news.to.startsWith('troupe-');
      }
      case 'request':
        if (plan.input === 'lines') return true;
        this.#write(control.refuse(news.request));
        return false;
      case 'turn-begun':
        this.#isInTurn = true;
        clearTimeout(this.#endTimer);
        return true;
      case 'turn-over':
        this.#openTurns = Math.max(0, this.#openTurns - 1);
        this.#isInTurn = false;
        if (this.#working.size === 0 && this.#waiting.size === 0) this.#answered.clear();
        this.#endWhenDone();
        return true;
      default:
        this.#hadWork = true;
        if (news.kind === 'work-begun') this.#working.add(news.work);
        else {
          this.#working.delete(news.work);
          this.#messages.drop(news.work);
          this.#stopping.get(news.work)?.(news.isStopped);
        }
        this.#endWhenDone();
        return true;
    }
  }
}

/** Steers a program through its standard input. */
export function steerChild({ stdin }: ChildProcess, options: Omit<SteerOptions, 'send' | 'endInput'>): Steering {
  // It may end before it has heard everything.
  stdin?.on('error', () => {});
  return new Steering({ ...options, send: (text) => void stdin?.write(text), endInput: () => void stdin?.end() });
}

interface Message {
  readonly text: string;
  settle(isRead: boolean): void;
}

/** Messages that wait for their agent: it reads them with its next call, or when it is about to end. */
class AgentMessages {
  readonly #waiting = new Map<string, Message[]>();

  /** True once it is handed over, false if the agent ended without. */
  add(agent: string, text: string): Promise<boolean> {
    return new Promise((settle) => {
      this.#waiting.set(agent, [...(this.#waiting.get(agent) ?? []), { text, settle }]);
    });
  }

  /** Everything that waits for it, as one text, which the caller hands over. */
  take(agent: string | undefined): string | undefined {
    if (agent === undefined || !this.#waiting.has(agent)) return undefined;
    return this.#settle(agent, true)
      .map(({ text }) => text)
      .join('\n\n');
  }

  /** The agent has ended. */
  drop(agent: string): void {
    this.#settle(agent, false);
  }

  dropAll(): void {
    for (const agent of [...this.#waiting.keys()]) this.#settle(agent, false);
  }

  #settle(agent: string, isRead: boolean): readonly Message[] {
    const messages = this.#waiting.get(agent) ?? [];
    this.#waiting.delete(agent);
    for (const message of messages) message.settle(isRead);
    return messages;
  }
}
