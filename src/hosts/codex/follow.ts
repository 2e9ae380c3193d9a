// What a change below a data folder of Codex is about.

import path from 'node:path';
import { nativeId, toSessionId } from '../../core/index.ts';
import type { FollowCapability } from '../index.ts';
import { LOCKS_FOLDER, mayHoldRollouts, NAMES_FILE } from './data-folder.ts';
import { HOST } from './line-context.ts';
import { isRollout, locateParts, readCompanions, sessionOfRollout } from './locate.ts';
import { threadOfFile } from './streams.ts';

export const follow: FollowCapability = {
  // Folders of days come at midnight: a rule, not a list.
  watched: async (root) => (folder) => folder === path.join(root, LOCKS_FOLDER) || mayHoldRollouts(root, folder),
  async subjectOf(root, place) {
    const folder = path.dirname(place);
    const locks = path.join(root, LOCKS_FOLDER);
    if (folder === locks || place === locks || (folder === root && path.basename(place) === NAMES_FILE))
      return { kind: 'facts' };
    const session = isRollout(place)
      ? await sessionOfRollout(root, place)
      : folder === root && place.endsWith('.jsonl')
        ? await threadOfFile(place)
        : undefined;
    return session === undefined
      ? { kind: 'nothing' }
      : { kind: 'part', part: { id: toSessionId(HOST, session), folder } };
  },
  locateParts: (root, folder, ids) => locateParts(root, folder, ids.map(nativeId)),
  readFacts: readCompanions,
};
