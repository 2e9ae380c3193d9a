// What a change below a data folder of Qwen Code is about: by its place.

import { nativeId, toSessionId } from '../../core/index.ts';
import type { FollowCapability } from '../index.ts';
import { mayHoldSessions, placeOf } from './data-folder.ts';
import { HOST } from './line-context.ts';
import { locateParts } from './locate.ts';

export const follow: FollowCapability = {
  // Projects come and go: a rule, not a list.
  watched: async (root) => (folder) => mayHoldSessions(root, folder),
  async subjectOf(root, place) {
    const at = placeOf(root, place);
    return at ? { kind: 'part', part: { id: toSessionId(HOST, at.session), folder: at.project } } : { kind: 'nothing' };
  },
  locateParts: (root, folder, ids) => locateParts(root, folder, ids.map(nativeId)),
  readFacts: async () => () => [],
};
