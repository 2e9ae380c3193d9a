// What there is to say about the files of a policy. Leaves the program as JSON (docs/JSON.md).

/** Where a file of a policy counts: for the person, for a project, for the person in that project. */
export type PolicyFileScope = 'user' | 'project' | 'local';

export interface PolicyProblem {
  /** Of a warning, nothing comes but the hint. */
  readonly severity: 'error' | 'warning';
  readonly code: PolicyProblemCode;
  readonly file: string;
  /** From 1 on. */
  readonly line: number;
  /** From 1 on, in UTF-16 units, as most editors count. */
  readonly column: number;
  /** One sentence. */
  readonly message: string;
  /** What to do about it; null where the message says so. */
  readonly remedy: string | null;
  /** The line, as it stands there. */
  readonly source: string;
}

export type PolicyProblemCode =
  /** The file: it is not there, not for us, too long, or no text. */
  | 'unreadable'
  /** It is no YAML, or uses what a policy has no need of: several documents, tags, directives. */
  | 'syntax'
  | 'unknown-key'
  | 'missing-key'
  | 'duplicate'
  /** A list where a text should be, a text of another form, a number that is too large. */
  | 'value'
  /** Two things that do not go together. */
  | 'conflict'
  /** Something that a project may not say: it would allow what the person did not. It has no effect. */
  | 'loosens'
  /** It can be meant so, but hardly is. */
  | 'suspicious';

export interface PolicyCheck {
  /** No error. */
  readonly ok: boolean;
  /** Those that are there. */
  readonly files: readonly { readonly scope: PolicyFileScope; readonly file: string }[];
  /** How many there are, those of presets included. */
  readonly rules: number;
  readonly presets: readonly string[];
  readonly problems: readonly PolicyProblem[];
}

export interface PolicyPreset {
  readonly name: string;
  readonly brief: string;
  /** Its rules, in the language of policies. */
  readonly text: string;
}
