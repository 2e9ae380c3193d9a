import type { ControlAnswer, ControlCapability, ControlNews, ControlPlan } from '../hosts/index.ts';
import { isObject, type JsonObject, parseJsonBytes } from '../lib/json.ts';
import { createLineSplitter, type Line } from '../lib/lines.ts';

/** A call in front of which the program waits. */
export interface WaitingCall {
  /** What a hook would be told. */
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

export interface Steering {
  /** What the program printed. */
  push(chunk: Uint8Array): void;
  /** A message of the person, to the main agent. */
  say(text: string): void;
  /** To a sub-agent, which hears it with its next call or when it is about to end. False: it ended without. */
  tellAgent(agent: string, text: string): Promise<boolean>;
  /** Ends a sub-agent. False: the program said yes, and the agent goes on. Rejects where the program refuses. */
  stopAgent(agent: string): Promise<boolean>;
  /** Something can still be said to the program. */
  readonly isOpen: boolean;
  /** A line of whoever started us and speaks the program's own protocol. */
  hear(line: Uint8Array): void;
  /** The person has said everything: when the program has done it all, its input ends. */
  finishInput(): void;
  /** Ends the turn of the main agent. Rejects where the program refuses. */
  interrupt(): Promise<void>;
  /** It has ended: what is still to be printed. */
  end(): void;
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
 * them by itself; what belongs to the steering stays here. Its input stays open as long as it may still ask.
 */
export function createSteering({ control, plan, send, endInput, print, decide, onError }: SteerOptions): Steering {
  const splitter = createLineSplitter({ maxLineBytes: Number.MAX_SAFE_INTEGER });
  const waiting = new Map<string, AbortController>();
  /** Until the question about it was answered, which may never come. */
  const asked = new Map<string, { readonly payload: unknown; readonly answer: Promise<ControlAnswer> }>();
  const replies = new Map<string, (trouble: string | undefined) => void>();
  const kept: JsonObject[] = [];
  const working = new Set<string>();
  const told = createToldAgents();
  const endings = new Map<string, (isStopped: boolean) => void>();
  const state = {
    requests: 0,
    isGreeted: false,
    open: 0,
    isFinished: false,
    isEnded: false,
    isInTurn: false,
    hadWork: false,
  };
  let settle: NodeJS.Timeout | undefined;

  const tell = (line: JsonObject): void => {
    if (!state.isEnded) send(`${JSON.stringify(line)}\n`);
  };
  const nextRequest = (): string => `troupe-${++state.requests}`;
  const greet = (theirs?: JsonObject): void => {
    if (state.isGreeted) return;
    state.isGreeted = true;
    const line = control.greet(nextRequest(), theirs);
    tell(line);
  };
  const endWhenDone = (): void => {
    clearTimeout(settle);
    if (!state.isFinished || working.size > 0 || waiting.size > 0 || state.isEnded || state.isInTurn) return;
    const ms = state.open > 0 ? JOINED_MS : state.hadWork ? SETTLE_MS : 0;
    settle = setTimeout(() => {
      state.isEnded = true;
      endInput();
    }, ms);
  };

  const answerCall = (news: Extract<ControlNews, { kind: 'call' }>): void => {
    const { request, payload, call } = news;
    const answer = held(request, { payload, call, isQuestion: false });
    if (call !== undefined) asked.set(call, { payload, answer });
    const line = (said: ControlAnswer): JsonObject =>
      control.answerCall(request, said, payload, told.take(control.callerIn(payload)));
    void answer.then((said) => finish(request, () => line(said))).catch(onError);
  };
  const answerQuestion = async (news: Extract<ControlNews, { kind: 'question' }>, pass: () => void): Promise<void> => {
    const { request, call } = news;
    const before = call === undefined ? undefined : asked.get(call);
    const first = await before?.answer;
    // Who has no opinion in front of a call leaves it to the program, which now leaves it to its person.
    const isOpen = first === undefined || (first.kind === 'printed' && !control.isDecided(first.printed));
    if (isOpen && plan.asksCaller) return pass();
    const payload = before?.payload;
    const answer = isOpen ? await held(request, { payload, call, isQuestion: true }) : first;
    finish(request, () => control.answerQuestion(request, answer, payload));
  };
  const held = async (request: string, call: Omit<WaitingCall, 'signal'>): Promise<ControlAnswer> => {
    const controller = new AbortController();
    waiting.set(request, controller);
    try {
      return await decide({ ...call, signal: controller.signal });
    } catch (error) {
      onError(error);
      const words = error instanceof Error ? error.message : String(error);
      return { kind: 'deny', reason: `The guard of troupe failed: ${words}` };
    }
  };
  const finish = (request: string, line: () => JsonObject): void => {
    const isAwaited = waiting.delete(request);
    if (isAwaited || !state.isEnded) tell(line());
    endWhenDone();
  };

  const ask = (lineOf: (request: string) => JsonObject): Promise<void> => {
    const request = nextRequest();
    return new Promise((resolve, reject) => {
      if (state.isEnded) return reject(new Error('its input has ended'));
      replies.set(request, (trouble) => {
        replies.delete(request);
        if (trouble === undefined) resolve();
        else reject(new Error(trouble));
      });
      tell(lineOf(request));
    });
  };

  const stopOf = (agent: string): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (isStopped: boolean): void => {
        clearTimeout(timer);
        endings.delete(agent);
        resolve(isStopped);
      };
      const timer = setTimeout(() => settle(false), STOPPED_WITHIN_MS);
      timer.unref();
      endings.set(agent, settle);
    });

  /** Whether it is output; `pass` makes it that later on. */
  const take = (news: ControlNews, pass: () => void): boolean => {
    switch (news.kind) {
      case 'call':
        answerCall(news);
        return false;
      case 'question':
        void answerQuestion(news, pass).catch(onError);
        return false;
      case 'agent-ending':
        tell(control.answerEnding(news.request, told.take(news.agent)));
        return false;
      case 'withdrawn': {
        const controller = waiting.get(news.request);
        waiting.delete(news.request);
        controller?.abort();
        return controller === undefined;
      }
      case 'reply': {
        const heard = replies.get(news.to);
        heard?.(news.trouble);
        return heard === undefined && plan.input === 'lines' && !news.to.startsWith('troupe-');
      }
      case 'request':
        if (plan.input === 'lines') return true;
        tell(control.refuse(news.request));
        return false;
      case 'turn-begun':
        state.isInTurn = true;
        clearTimeout(settle);
        return true;
      case 'turn-over':
        state.open = Math.max(0, state.open - 1);
        state.isInTurn = false;
        if (working.size === 0 && waiting.size === 0) asked.clear();
        endWhenDone();
        return true;
      default:
        state.hadWork = true;
        if (news.kind === 'work-begun') working.add(news.work);
        else {
          working.delete(news.work);
          told.lose(news.work);
          endings.get(news.work)?.(news.isStopped);
        }
        endWhenDone();
        return true;
    }
  };
  const show = (line: Line, record: JsonObject | undefined, news: ControlNews | undefined): void => {
    if (plan.output === 'lines') {
      print(line.bytes);
      if (!line.torn) print(NEWLINE);
    } else if (record && (news?.kind === 'turn-over' || plan.needsAllLines)) kept.push(record);
  };
  const read = (line: Line): void => {
    const value = parseJsonBytes(line.bytes);
    const record = isObject(value) ? value : undefined;
    const news = record && control.read(record);
    // It still says something: what comes behind it is waited for, too.
    if (!news) endWhenDone();
    const pass = (): void => show(line, record, news);
    if (!news || take(news, pass)) pass();
  };

  return {
    push(chunk) {
      for (const line of splitter.push(chunk)) read(line);
    },
    say(text) {
      greet();
      state.open++;
      state.isInTurn = true;
      clearTimeout(settle);
      tell(control.say(text));
    },
    hear(bytes) {
      const value = parseJsonBytes(bytes);
      const line = isObject(value) ? value : undefined;
      if (line && !state.isGreeted && control.isGreeting(line)) return greet(line);
      greet();
      if (line && control.isMessage(line)) {
        state.open++;
        state.isInTurn = true;
      }
      clearTimeout(settle);
      if (!state.isEnded) send(`${Buffer.from(bytes).toString('utf8')}\n`);
    },
    finishInput() {
      state.isFinished = true;
      endWhenDone();
    },
    tellAgent: (agent, text) => (state.isEnded ? Promise.resolve(false) : told.add(agent, text)),
    async stopAgent(agent) {
      const isStopped = working.has(agent) ? stopOf(agent) : true;
      await ask((request) => control.stopAgent(request, agent));
      return isStopped;
    },
    get isOpen() {
      return !state.isEnded;
    },
    interrupt: () => ask(control.interrupt),
    end() {
      clearTimeout(settle);
      state.isEnded = true;
      const rest = splitter.rest();
      if (rest) read(rest);
      for (const controller of waiting.values()) controller.abort();
      told.loseAll();
      for (const settle of [...endings.values()]) settle(true);
      for (const heard of [...replies.values()]) heard('the program has ended');
      if (plan.output === 'last') print(new TextEncoder().encode(control.lastWords(plan.form, kept)));
    },
  };
}

/** Messages that wait for their agent: it hears them with its next call, or when it is about to end. */
export interface ToldAgents {
  /** True once it is handed over, false where the agent ended without. */
  add(agent: string, text: string): Promise<boolean>;
  /** Everything that waits for it, as one text. Whoever takes it hands it over. */
  take(agent: string | undefined): string | undefined;
  /** The agent has ended: what still waits, it never heard. */
  lose(agent: string): void;
  loseAll(): void;
}

interface Message {
  readonly text: string;
  settle(isHeard: boolean): void;
}

export function createToldAgents(): ToldAgents {
  const waiting = new Map<string, Message[]>();
  const settle = (agent: string, isHeard: boolean): readonly Message[] => {
    const messages = waiting.get(agent) ?? [];
    waiting.delete(agent);
    for (const message of messages) message.settle(isHeard);
    return messages;
  };
  return {
    add: (agent, text) =>
      new Promise((resolve) => {
        waiting.set(agent, [...(waiting.get(agent) ?? []), { text, settle: resolve }]);
      }),
    take(agent) {
      if (agent === undefined || !waiting.has(agent)) return undefined;
      return settle(agent, true)
        .map(({ text }) => text)
        .join('\n\n');
    },
    lose: (agent) => void settle(agent, false),
    loseAll() {
      for (const agent of [...waiting.keys()]) settle(agent, false);
    },
  };
}
