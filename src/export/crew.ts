import type { FoundFiles, OpenedTranscripts } from '../model/ports.ts';
import type { AgentWork } from './agent-work.ts';
import type { Taker } from './share-out.ts';

/** Others who do the same work, each in a thread of its own. */
export interface Crew {
  readonly helpers: readonly AgentWork[];
  /** Who has seen which agent, by number: 0 is who asks. May grow while it is used. */
  homes: ReadonlyMap<number, number>;
}

/**
 * By the files of a session, before anybody reads them: while one reads them for the first time, the others get ready. Undefined:
 * it is not worth it, or cannot be.
 */
export type HireCrew = (session: FoundFiles) => HiredCrew | undefined;

export interface HiredCrew {
  /** Undefined where nobody else can read the session. */
  begin(session: OpenedTranscripts): Promise<Crew | undefined>;
  close(): Promise<void>;
}

/** A thread that looks for its messages now and then gets several tasks ahead. */
const AHEAD = 3;

/** `prepare`: what a helper has to know first. Nobody waits for one that is still starting. */
export function takersOf<Result>(
  own: AgentWork,
  crew: Crew | undefined,
  run: (work: AgentWork, agent: number) => Promise<Result>,
  prepare: (helper: AgentWork) => Promise<void>,
): readonly Taker<Result>[] {
  return [
    { ahead: 1, run: (agent) => run(own, agent) },
    ...(crew?.helpers ?? []).map((helper) => ({
      ahead: AHEAD,
      begun: prepare(helper),
      run: (agent: number) => run(helper, agent),
    })),
  ];
}
