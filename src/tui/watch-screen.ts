import {
  type AgentReport,
  agentsOf,
  type ColourDepth,
  type LiveEvent,
  type SessionDetail,
  sessionKey,
  type Transcript,
} from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import type { Screen, Size } from '../lib/screen.ts';
import type { SourcedFeed, Subscription } from '../sessions/index.ts';
import { type AnswerCall, type ApprovalBar, createApprovalBar } from './approval-bar.ts';
import type { Key } from './keys.ts';
import { createScreenPainter, createWatchPaint, type ScreenPainter, type WatchPaint } from './paint.ts';
import { openReader, type Reader } from './reader.ts';
import { createTree, type Tree } from './tree.ts';

export interface WatchOptions {
  readonly feed: SourcedFeed;
  /** By the whole ids of an agent and of its session. */
  readonly transcript: (agent: string, session: string) => Promise<{ readonly transcript: Transcript }>;
  readonly screen: Screen<Key>;
  readonly clock: Clock;
  readonly colours: ColourDepth;
  readonly version: string;
  readonly answer: AnswerCall;
  /** Only the sessions whose id begins so. */
  readonly session?: string;
  /** By its whole id: read as soon as it is there. */
  readonly agent?: string;
}

/** `troupe watch`: the live tree on the whole screen. */
export class WatchScreen {
  readonly #options: WatchOptions;
  readonly #paint: WatchPaint;
  readonly #painter: ScreenPainter;
  readonly #tree: Tree;
  readonly #bar: ApprovalBar;
  readonly #frames: ReturnType<typeof startFrames>;
  #reader: Reader | undefined;
  /** The agent to read as soon as it is there. */
  #wanted: string | undefined;

  constructor(options: WatchOptions) {
    const { feed, screen, version, session, answer } = options;
    this.#options = options;
    this.#wanted = options.agent;
    this.#paint = createWatchPaint(options.colours);
    this.#painter = createScreenPainter((text) => screen.write(text));
    this.#tree = createTree({ paint: this.#paint, source: () => feed.source(), version, ...known({ session }) });
    this.#bar = createApprovalBar({
      ...{ paint: this.#paint, answer, say: this.#tree.say, onChange: () => this.#frames.soon() },
      hueOf: ({ host, session: id, agent }) => {
        const found = id === null ? undefined : this.#tree.session(sessionKey({ host, id }));
        return (found && agentsOf(found).find((one) => one.id === agent.id)?.hue) ?? null;
      },
      ...known({ session }),
    });
    this.#frames = startFrames(() => this.#draw(), options.clock);
  }

  /** Until the person quits. Closes the screen in any case. */
  async run(): Promise<void> {
    const { feed, screen } = this.#options;
    let subscription: Subscription | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#frames.onFailure(reject);
        screen.onResize(() => {
          this.#painter.forget();
          this.#frames.soon();
        });
        screen.onKey((key) => {
          if (this.#press(key) === 'quit') resolve();
          else this.#frames.soon();
        });
        feed.onSource(({ text, isLost }) => {
          if (!isLost) this.#tree.say(`The picture comes from: ${text}`);
          this.#frames.soon();
        });
        this.#frames.soon();
        // Last: it may call back at once.
        subscription = feed.subscribe((event) => this.#handleEvent(event));
      });
    } finally {
      subscription?.close();
      feed.onSource(() => {});
      this.#closeReader();
      this.#frames.close();
      screen.close();
    }
  }

  #handleEvent(event: LiveEvent): void {
    this.#tree.handleEvent(event);
    this.#bar.handleEvent(event);
    this.#reader?.handleEvent(event);
    const found = this.#wanted === undefined ? undefined : this.#tree.find(this.#wanted);
    if (found) {
      this.#wanted = undefined;
      this.#read(found.agent, found.session);
    }
    this.#frames.soon();
  }

  #press(key: Key): 'quit' | undefined {
    if (this.#bar.isTyping()) {
      this.#bar.press(key);
      return undefined;
    }
    if (key.kind === 'named') {
      if (key.name === 'ctrl-c') return 'quit';
      if (key.name === 'ctrl-z') this.#options.screen.suspend();
      if (key.name === 'ctrl-l') this.#painter.forget();
    }
    if (this.#reader) {
      if (this.#reader.press(key, this.#rest()) === 'back') this.#closeReader();
      return undefined;
    }
    if (!this.#tree.takesKeys() && this.#bar.press(key)) return undefined;
    const action = this.#tree.press(key, this.#rest(), this.#now());
    const row = action === 'read' ? this.#tree.selected() : undefined;
    if (row) this.#read(row.kind === 'agent' ? row.agent : row.session.main, row.session);
    return action === 'quit' ? 'quit' : undefined;
  }

  #read(agent: AgentReport, within: SessionDetail): void {
    const { feed, transcript } = this.#options;
    this.#reader = openReader({
      agent,
      session: () => this.#tree.session(sessionKey(within)) ?? within,
      paint: this.#paint,
      source: () => feed.source(),
      open: () => transcript(agent.id, within.id),
      onChange: () => this.#frames.soon(),
      onFailure: (reason) => {
        this.#closeReader();
        this.#tree.say(reason);
        this.#frames.soon();
      },
    });
  }

  #closeReader(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  #draw(): void {
    const { screen, clock } = this.#options;
    const size = screen.size();
    const hint = this.#reader || this.#tree.takesKeys() ? 'back in the tree: y allow · n deny' : undefined;
    const bar = this.#bar.lines(size, clock(), hint);
    this.#painter.paint([...(this.#reader ?? this.#tree).frame(this.#rest(), this.#now()), ...bar], size);
  }

  /** The screen above the approval bar: text does not move when a call begins to wait. */
  #rest(): Size {
    const size = this.#options.screen.size();
    return { ...size, rows: size.rows - this.#bar.height(size) };
  }

  /** Whole seconds: all times on the screen change together, and nothing is written in between for their sake. */
  #now(): number {
    return Math.floor(this.#options.clock() / 1000) * 1000;
  }
}

/** At most 20 a second: more than the eye needs, less than a slow line notices. */
const FRAME_MS = 50;
const SECOND = 1000;

/** When to draw: at once where something changed, never more often than a frame, and every second for the times. */
function startFrames(draw: () => void, clock: Clock) {
  let isResting = false;
  let isWanted = false;
  let isClosed = false;
  let fail = (error: unknown): void => {
    throw error;
  };
  let rest: ReturnType<typeof setTimeout> | undefined;
  let tick: ReturnType<typeof setTimeout> | undefined;

  const drawNow = (): void => {
    isWanted = false;
    isResting = true;
    rest = setTimeout(() => {
      isResting = false;
      if (isWanted) drawNow();
    }, FRAME_MS);
    try {
      draw();
    } catch (error) {
      fail(error);
    }
  };
  const soon = (): void => {
    if (isClosed) return;
    isWanted = true;
    if (!isResting) drawNow();
  };
  const tickNext = (): void => {
    tick = setTimeout(
      () => {
        soon();
        tickNext();
      },
      SECOND - (clock() % SECOND),
    );
  };
  tickNext();
  return {
    /** Something changed. */
    soon,
    onFailure(listener: typeof fail): void {
      fail = listener;
    },
    close(): void {
      isClosed = true;
      clearTimeout(rest);
      clearTimeout(tick);
    },
  };
}
