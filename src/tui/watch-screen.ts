import {
  type AgentReport,
  type Answered,
  type AskAnswer,
  agentsOf,
  type ColourDepth,
  type SessionDetail,
  sessionKey,
  type Transcript,
} from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import type { Screen, Size } from '../lib/screen.ts';
import type { SourcedFeed, Subscription } from '../sessions/index.ts';
import { createAskBar } from './approval-bar.ts';
import type { Key } from './keys.ts';
import { createScreenPainter, createWatchPaint } from './paint.ts';
import { openReader, type Reader } from './reader.ts';
import { createTree } from './tree.ts';

export interface WatchOptions {
  readonly feed: SourcedFeed;
  /** By the whole ids of an agent and of its session. */
  readonly transcript: (agent: string, session: string) => Promise<{ readonly transcript: Transcript }>;
  readonly screen: Screen<Key>;
  readonly clock: Clock;
  readonly colours: ColourDepth;
  readonly version: string;
  /** What the person says to a call that waits. */
  readonly answer: (id: string, answer: AskAnswer) => Promise<Answered>;
  /** Only the sessions whose id begins so. */
  readonly session?: string;
  /** By its whole id: read as soon as it is there. */
  readonly agent?: string;
}

/** `troupe watch`: the live tree on the whole screen, until the person quits. Closes the screen in any case. */
export async function watch(options: WatchOptions): Promise<void> {
  const { feed, screen, version, session } = options;
  // Whole seconds: all times on the screen turn over together, and nothing is written in between for their sake.
  const clock = (): number => Math.floor(options.clock() / 1000) * 1000;
  const paint = createWatchPaint(options.colours);
  const painter = createScreenPainter((text) => screen.write(text));
  const tree = createTree({ paint, source: () => feed.source(), version, ...known({ session }) });
  let reader: Reader | undefined;
  const bar = createAskBar({
    ...{ paint, answer: options.answer, say: tree.say, onChange: () => frames.soon() },
    hueOf: ({ host, session: id, agent }) =>
      (id === null ? [] : agentsIn(tree.session(sessionKey({ host, id })))).find((one) => one.id === agent.id)?.hue ??
      null,
    ...known({ session }),
  });
  /** Below the rest: what somebody reads stays where it is when a call begins to wait. */
  const rest = (): Size => {
    const size = screen.size();
    return { ...size, rows: size.rows - bar.height(size) };
  };

  const frames = startFrames(() => {
    const size = screen.size();
    const asked = bar.lines(
      size,
      options.clock(),
      reader || tree.takesKeys() ? 'back in the tree: y allow · n deny' : undefined,
    );
    painter.paint([...(reader ?? tree).frame(rest(), clock()), ...asked], size);
  }, options.clock);

  const leave = (): void => {
    reader?.close();
    reader = undefined;
  };
  const read = (): void => {
    const row = tree.selected();
    if (row) readAgent(row.kind === 'agent' ? row.agent : row.session.main, row.session);
  };
  const readAgent = (agent: AgentReport, within: SessionDetail): void => {
    reader = openReader({
      agent,
      session: () => tree.session(sessionKey(within)) ?? within,
      paint,
      source: () => feed.source(),
      open: () => options.transcript(agent.id, within.id),
      onChange: frames.soon,
      onFailure(reason) {
        leave();
        tree.say(reason);
        frames.soon();
      },
    });
  };
  /** true: the person is done. */
  const press = (key: Key): boolean => {
    if (key.kind === 'named') {
      if (key.name === 'ctrl-c') return true;
      if (key.name === 'ctrl-z') screen.suspend();
      if (key.name === 'ctrl-l') painter.forget();
    }
    if (reader) {
      if (reader.press(key, rest()) === 'back') leave();
      return false;
    }
    if (!tree.takesKeys() && bar.press(key)) return false;
    const action = tree.press(key, rest(), clock());
    if (action === 'read') read();
    return action === 'quit';
  };

  let wanted = options.agent;
  const readWanted = (): void => {
    const found = wanted === undefined ? undefined : tree.find(wanted);
    if (!found) return;
    wanted = undefined;
    readAgent(found.agent, found.session);
  };

  let subscription: Subscription | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      frames.onFailure(reject);
      screen.onResize(() => {
        painter.forget();
        frames.soon();
      });
      screen.onKey((key) => {
        if (press(key)) resolve();
        else frames.soon();
      });
      feed.onSource(({ text, isLost }) => {
        if (!isLost) tree.say(`The picture comes from: ${text}`);
        frames.soon();
      });
      frames.soon();
      // Last: it may call back at once.
      subscription = feed.subscribe((event) => {
        tree.handleEvent(event);
        bar.handleEvent(event);
        reader?.handleEvent(event);
        readWanted();
        frames.soon();
      });
    });
  } finally {
    subscription?.close();
    feed.onSource(() => {});
    leave();
    frames.close();
    screen.close();
  }
}

function agentsIn(session: SessionDetail | undefined): readonly AgentReport[] {
  return session ? agentsOf(session) : [];
}

/** At most 20 a second: more than the eye needs, less than a slow line notices. */
const FRAME_MS = 50;
const SECOND = 1000;

export interface Frames {
  /** Something changed. */
  soon(): void;
  onFailure(listener: (error: unknown) => void): void;
  close(): void;
}

/** When to draw: at once where something changed, never more often than a frame, and every second for the times. */
export function startFrames(draw: () => void, clock: Clock): Frames {
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
    soon,
    onFailure(listener) {
      fail = listener;
    },
    close() {
      isClosed = true;
      clearTimeout(rest);
      clearTimeout(tick);
    },
  };
}
