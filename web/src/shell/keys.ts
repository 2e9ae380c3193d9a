// Which key does what, for the listener and for the help sheet: one table for both.

export type Command =
  | 'race'
  | 'graph'
  | 'timeline'
  | 'read'
  | 'guard'
  | 'cost'
  | 'search'
  | 'previous-session'
  | 'next-session'
  | 'next-needs-you'
  | 'next-silent'
  | 'asks'
  | 'detail'
  | 'replay'
  | 'export'
  | 'attach'
  | 'theme'
  | 'help'
  | 'close';

export interface KeyRow {
  readonly key: string;
  readonly command: Command;
  readonly text: string;
}

export const KEYS: readonly KeyRow[] = [
  { key: '1', command: 'race', text: 'Race' },
  { key: '2', command: 'graph', text: 'Graph' },
  { key: '3', command: 'timeline', text: 'Timeline' },
  { key: '4', command: 'read', text: 'Read' },
  { key: '5', command: 'guard', text: 'Guard' },
  { key: '6', command: 'cost', text: 'Cost' },
  { key: '/', command: 'search', text: 'search sessions; enter searches in messages' },
  { key: '[', command: 'previous-session', text: 'previous session' },
  { key: ']', command: 'next-session', text: 'next session' },
  { key: 'n', command: 'next-needs-you', text: 'next one who needs you' },
  { key: 'a', command: 'asks', text: 'calls that wait for your answer' },
  { key: 's', command: 'next-silent', text: 'next silent one' },
  { key: 'd', command: 'detail', text: 'detail: open, close' },
  { key: 'r', command: 'replay', text: 'replay from the start, or back to live' },
  { key: 'x', command: 'export', text: 'export this session' },
  { key: 'c', command: 'attach', text: 'continue from this agent' },
  { key: 't', command: 'theme', text: 'theme: system, light, dark' },
  { key: '?', command: 'help', text: 'this sheet' },
  { key: 'Escape', command: 'close', text: 'close, then clear the filter, then the selection' },
];

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** AltGr: how many keyboards write a bracket. Some systems report it as ctrl and alt, too. */
  readonly altGraph: boolean;
  /** It is being taken as text, by a field or by an input method. */
  readonly isTyping: boolean;
  /** Somebody nearer to it has used it. */
  readonly isTaken: boolean;
}

export function commandOf(press: KeyPress): Command | undefined {
  if (press.isTaken || press.isTyping || press.metaKey) return undefined;
  if ((press.ctrlKey || press.altKey) && !press.altGraph) return undefined;
  return KEYS.find(({ key }) => key === press.key)?.command;
}
