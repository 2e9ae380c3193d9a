// The JSON of `troupe search` and of the page's search box (docs/JSON.md). The names are a contract: add, never rename.

import type { AgentStatus } from '../tree.ts';

/** Whether the text of conversations is indexed. `undecided`: nobody has said yet whether it may be. */
export type TextIndexState = 'undecided' | 'on' | 'off' | 'unusable';

/** What is not known is null: never 0, never left out. Times are ISO 8601, UTC. Ids are the host's own. */
export interface TextIndexReport {
  readonly state: TextIndexState;
  readonly file: string;
  readonly problem: string | null;
  readonly bytes: number;
  readonly messages: number;
  /** Whose text is up to date. */
  readonly indexedSessions: number;
  /** In the places looked at, without those of excluded projects. */
  readonly sessions: number;
  readonly excludedProjects: readonly string[];
}

export interface SearchReport {
  readonly query: string;
  /** Why nothing was searched; null if it was. */
  readonly problem: SearchProblem | null;
  readonly index: Pick<TextIndexReport, 'state' | 'indexedSessions' | 'sessions'> & {
    /** Everything was searched. */
    readonly isComplete: boolean;
    /** Why nothing can be added to it. */
    readonly problem: string | null;
  };
  /** Messages that match, in all sessions. */
  readonly hits: number;
  readonly matchingSessions: number;
  /** Last active first; at most as many as were asked for. */
  readonly sessions: readonly SessionHits[];
  /** Texts are redacted: the output goes to a program or to an agent. */
  readonly isRedacted: boolean;
}

export interface SearchProblem {
  readonly message: string;
  readonly remedy: string;
  /** Of the part of the query that is wrong. */
  readonly offset: number;
  readonly length: number;
}

export interface SessionHits {
  readonly id: string;
  readonly host: string;
  readonly hostTitle: string;
  /** The data folder that it is in. */
  readonly root: string;
  readonly project: string | null;
  readonly title: string | null;
  readonly status: AgentStatus;
  readonly lastActivityAt: string | null;
  readonly hits: number;
  /** The best of them. */
  readonly messages: readonly MessageHit[];
}

export interface MessageHit {
  readonly agentId: string;
  readonly agentLabel: string | null;
  readonly agentType: string | null;
  readonly messageId: string;
  /** Its number in the conversation, from 0: `troupe show AGENT --from N`. */
  readonly index: number;
  readonly at: string | null;
  readonly kind: 'prompt' | 'answer' | 'thinking' | 'summary' | 'notice' | 'call' | 'result';
  readonly tool: string | null;
  /** A piece of the text around what was found, in one line; empty if the message is not there any more. */
  readonly snippet: readonly SnippetPiece[];
}

export interface SnippetPiece {
  readonly text: string;
  readonly isMatch: boolean;
}
