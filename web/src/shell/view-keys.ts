/** Keys that belong to a view, and work while it has the focus: for the help sheet. */
export const VIEW_KEYS: readonly { readonly title: string; readonly rows: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Race, Graph, Timeline',
    rows: [
      ['↑ ↓', 'from agent to agent'],
      ['← →', 'close, open; in Timeline from call to call'],
      ['space', 'select it'],
      ['enter', 'read its transcript'],
    ],
  },
  {
    title: 'Graph, Timeline',
    rows: [
      ['+ -', 'nearer, farther'],
      ['0', 'all of it'],
      ['shift ←→', 'move along'],
    ],
  },
  {
    title: 'Read',
    rows: [
      ['j k', 'next, previous message'],
      ['g G', 'beginning, end'],
      ['e', 'fold, unfold'],
      ['o', 'into the sub-agent'],
      ['u', 'back to who asked for it'],
      ['/', 'find in the transcript'],
    ],
  },
  {
    title: 'Guard',
    rows: [
      ['↑ ↓', 'from call to call'],
      ['space', 'select the agent that made it'],
      ['enter', 'read it in the transcript'],
      ['e', 'explain it: which rule won and why, and what would allow it'],
      ['i', 'all that the tool was given'],
    ],
  },
  {
    title: 'Replay',
    rows: [
      ['← →', 'back, forth'],
      ['space', 'play, pause'],
    ],
  },
];
