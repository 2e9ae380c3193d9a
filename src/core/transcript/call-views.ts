/** What a call is shown as. Each UI draws these in its own way. */
export type CallView =
  | TerminalView
  | EditsView
  | WrittenView
  | FileView
  | FoundView
  | ChecksView
  | WebView
  | LetterView
  | SpawnView
  | FieldsView;

export interface TerminalView {
  readonly kind: 'terminal';
  readonly command: string;
  /** In the words of the agent: what for. */
  readonly note: string | undefined;
  readonly isBackground: boolean;
  /** As the program that ran it wrote it down. */
  readonly exitCode: number | undefined;
  readonly output: string | undefined;
}

export interface Edit {
  readonly before: string;
  readonly after: string;
  readonly isEverywhere: boolean;
}

export interface EditsView {
  readonly kind: 'edits';
  readonly path: string;
  readonly edits: readonly Edit[];
}

/** A whole file. */
export interface WrittenView {
  readonly kind: 'written';
  readonly path: string;
  readonly text: string;
}

/** Lines of a file that was read. */
export interface FileView {
  readonly kind: 'file';
  readonly path: string;
  /** Number of the first line; undefined where the lines were not numbered. */
  readonly first: number | undefined;
  readonly text: string | undefined;
  readonly note: string;
}

/** Files or lines that a search found. */
export interface FoundView {
  readonly kind: 'found';
  readonly pattern: string;
  readonly where: string | undefined;
  readonly text: string | undefined;
}

export interface Check {
  readonly text: string;
  readonly state: 'open' | 'doing' | 'done' | 'dropped';
}

export interface ChecksView {
  readonly kind: 'checks';
  readonly checks: readonly Check[];
}

export interface WebView {
  readonly kind: 'web';
  /** Only a link where it is one of the web. */
  readonly target: string;
  readonly question: string | undefined;
  readonly hits: readonly { readonly title: string; readonly url: string }[];
  readonly text: string | undefined;
}

/** Something said to another agent. */
export interface LetterView {
  readonly kind: 'letter';
  readonly to: string;
  readonly text: string;
}

/** What a sub-agent was asked. */
export interface SpawnView {
  readonly kind: 'errand';
  readonly type: string | undefined;
  readonly description: string | undefined;
  readonly prompt: string;
  readonly answer: string | undefined;
}

export interface Field {
  readonly name: string;
  readonly text: string;
}

/** A tool that nobody told us about. */
export interface FieldsView {
  readonly kind: 'fields';
  readonly fields: readonly Field[];
  readonly output: string | undefined;
}
