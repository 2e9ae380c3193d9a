import {
  type AgentReport,
  agentsOf,
  applyEvent,
  FIRST_VIEW,
  type LiveEvent,
  type LiveSnapshot,
  markAsking,
  type SessionDetail,
  sessionKey,
  type WatchView,
} from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { type FrameOptions, formatFrame, planOf } from './frame.ts';
import type { Key } from './keys.ts';
import type { WatchRow } from './rows.ts';
import { settleView } from './settle-view.ts';
import { pressInTree } from './tree-keys.ts';

/** The tree of everything that is followed: the picture, and how the person looks at it. */
export interface Tree {
  hear(event: LiveEvent): void;
  press(key: Key, size: Size, now: number): 'quit' | 'read' | undefined;
  frame(size: Size, now: number): readonly string[];
  selected(): WatchRow | undefined;
  /** Keys are text, or end the help. */
  takesKeys(): boolean;
  /** As it stands now. */
  session(key: string): SessionDetail | undefined;
  /** An agent by its whole id, in the newest session that has it. */
  find(agent: string): { readonly agent: AgentReport; readonly session: SessionDetail } | undefined;
  /** In the last line, until the next key. */
  say(message: string): void;
}

export interface TreeSetup extends Omit<FrameOptions, 'size' | 'now' | 'source'> {
  /** As it is now. */
  readonly source: () => FrameOptions['source'];
}

export function createTree(setup: TreeSetup): Tree {
  const { session } = setup;
  /** As it was told, and as it is shown. */
  let raw: LiveSnapshot | undefined;
  let picture: LiveSnapshot | undefined;
  let view: WatchView = FIRST_VIEW;
  let rows: readonly WatchRow[] = [];

  const settle = (size: Size, now: number): void => {
    if (picture) ({ view, rows } = settleView(picture, view, { size, now, keepsOpen: session !== undefined }));
  };
  return {
    hear(event) {
      raw = applyEvent(raw, event);
      picture = only(markAsking(raw), session);
    },
    press(key, size, now) {
      // Keys may come faster than frames: each must find the rows as the one before it left them.
      settle(size, now);
      const { body } = planOf(size);
      const pressed = pressInTree(view, key, { sessions: picture?.sessions ?? [], rows, height: body, now });
      view = pressed.view;
      settle(size, now);
      return pressed.wish;
    },
    frame(size, now) {
      settle(size, now);
      return formatFrame(picture, rows, view, { ...setup, size, now, source: setup.source() });
    },
    selected: () => rows.find(({ key }) => key === view.selected),
    takesKeys: () => view.isTyping || view.showsHelp,
    session: (key) => picture?.sessions.find((one) => sessionKey(one) === key),
    find(id) {
      for (const one of picture?.sessions ?? []) {
        const agent = agentsOf(one).find((each) => each.id === id);
        if (agent) return { agent, session: one };
      }
      return undefined;
    },
    say(message) {
      view = { ...view, message };
    },
  };
}

function only(picture: LiveSnapshot, session: string | undefined): LiveSnapshot {
  if (session === undefined) return picture;
  return { ...picture, sessions: picture.sessions.filter(({ id }) => id.startsWith(session)) };
}
