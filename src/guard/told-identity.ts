// What `tell-identity.ts` told a command, read where the command started a host: by the hooks of that host.

import type { CallingAgent } from '../hosts/index.ts';

/** Longer than any that we told. */
const LONGEST = 2_000;

/**
 * The agents above a session that a command started, main first, by `TROUPE_AGENT`. A label may be a name or a type: it is taken
 * for both. Empty where nothing was told.
 */
export function agentsTold(identity: string | undefined): readonly CallingAgent[] {
  if (!identity || identity.length > LONGEST) return [];
  const [host, session, id, path, ...more] = identity.split(':');
  if (!host || !session || !id || !path || more.length > 0) return [];
  return path.split('/').map((label, depth) => {
    const isKnown = label !== '?';
    if (label === 'main' && depth === 0) return { id: session, kind: 'main', type: null, name: null, depth: 0 };
    return {
      id: isKnown ? id : '',
      kind: 'task',
      type: isKnown ? label : null,
      name: isKnown ? label : null,
      depth: null,
    };
  });
}
