// What a version tells of its sub-agents, and since when.

import { versionNumber } from '../../lib/version-number.ts';
import type { VersionFact } from '../index.ts';

interface Telling {
  readonly since: string;
  readonly told: string;
  readonly untold: string;
}

const TELLINGS: readonly Telling[] = [
  {
    since: '2.1.69',
    told: 'its hooks name the agent behind every call',
    untold:
      'its hooks do not name the agent behind a call: the call is looked up in the transcripts (from 2.1.69 on they do)',
  },
  {
    since: '2.0.43',
    told: 'its hooks say which call they are about',
    untold:
      'its hooks do not say which call they are about: who made it stays unknown where several agents are at work',
  },
  {
    since: '2.1.81',
    told: 'who asked for an agent is exact from its start',
    untold: 'who asked for an agent is exact only when it has ended (from 2.1.81 on, from its start)',
  },
  {
    since: '2.0.42',
    told: 'its hooks tell when which agent ended',
    untold: 'its hooks do not tell which agent ended: the transcripts do, a moment later',
  },
  {
    since: '2.1.85',
    told: 'it keeps a record of its processes, so an end without a word is seen at once',
    untold: 'it keeps no record of its processes: after a kill its agents count as at work for five minutes',
  },
];

export function factsOf(version: string): readonly VersionFact[] {
  return TELLINGS.map(({ since, told, untold }) => {
    const isTold = versionNumber(version) >= versionNumber(since);
    return { isTold, text: isTold ? told : untold };
  });
}
