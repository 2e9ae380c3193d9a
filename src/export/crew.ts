import type { FoundFiles, OpenedTranscripts } from '../core/index.ts';
import type { AgentWork } from './agent-work.ts';
import type { Taker } from './share-out.ts';

/** Others who do the same work, each in a thread of its own. */
export interface Crew {
  readonly helpers: readonly Helper[];
  /** Who has seen which agent, by number: 0 is who asks. */
  homes: ReadonlyMap<number, number>;
}

export interface Helper {
  readonly work: AgentWork;
  /** Whether it has begun: one that is still starting gets no task that others could do meanwhile. */
  isUp(): boolean;
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

/** `prepare`: tells a helper what it has to know first; it may answer with what it has done already. */
export function takersOf<Result>(
  own: AgentWork,
  crew: Crew | undefined,
  run: (work: AgentWork, agent: number) => Promise<Result>,
  prepare: (helper: AgentWork) => Promise<ReadonlyMap<number, Result>>,
): readonly Taker<Result>[] {
  return [
    { ahead: 1, run: (agent) => run(own, agent) },
    ...(crew?.helpers ?? []).map(({ work, isUp }) => {
      const doneBefore = prepare(work);
      return {
        ahead: AHEAD,
        ...(!isUp() && { begun: doneBefore }),
        doneBefore,
        run: (agent: number) => run(work, agent),
      };
    }),
  ];
}
