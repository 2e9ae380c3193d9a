export const SORTS = ['tree', 'activity', 'tokens', 'time'] as const;
export type Sort = (typeof SORTS)[number];

/** What the person sees of the picture, and how: changes by keys, and where rows come and go. */
export interface WatchView {
  /** Keys of the sessions from top to bottom. Kept, so that nothing jumps while somebody reads. */
  readonly sessions: readonly string[];
  /** Places among siblings as of the last press of a sort key; who came later has none, and stands behind. */
  readonly ranks: ReadonlyMap<string, number>;
  readonly sort: Sort;
  /** Their order is final: the first picture is complete, or the person has begun to read. */
  readonly isOrdered: boolean;
  /** What the person folded or unfolded, by key of session or agent. */
  readonly folded: ReadonlyMap<string, boolean>;
  /** Sessions that are folded because nothing has happened in them for a while. */
  readonly resting: ReadonlySet<string>;
  readonly filter: string;
  /** The filter is being typed. */
  readonly isTyping: boolean;
  readonly hidesFinished: boolean;
  /** Key of a row, and where that row was last seen. */
  readonly selected?: string;
  readonly selectedAt: number;
  /** Row at the top of the window. */
  readonly top: number;
  /** The person left the first row in sight: what has come above it since is shown once nobody reads any more. */
  readonly wantsNews: boolean;
  /** The last key changed which rows there are: until they are laid out again, nothing needs to hold still. */
  readonly isRearranged: boolean;
  /** Last key press. */
  readonly touchedAt?: number;
  readonly showsHelp: boolean;
  /** Instead of the keys in the last line. */
  readonly message?: string;
}

export const FIRST_VIEW: WatchView = {
  sessions: [],
  ranks: new Map(),
  sort: 'tree',
  isOrdered: false,
  folded: new Map(),
  resting: new Set(),
  filter: '',
  isTyping: false,
  hidesFinished: false,
  selectedAt: 0,
  top: 0,
  wantsNews: true,
  isRearranged: false,
  showsHelp: false,
};
