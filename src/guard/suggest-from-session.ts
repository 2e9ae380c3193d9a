import { createGuardLog, readLog } from '../audit/index.ts';
import { type AuditEntry, hostOf, nativeId, type PolicySuggestion } from '../core/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { isMaskedOrCut, maskText } from '../redact/index.ts';
import { createSessions, placesOf, readCalls, thisMachine, type Where } from '../sessions/index.ts';
import { pastCall, writtenCall } from './past-call.ts';
import { type SeenCall, suggestPolicy } from './policy/suggest-policy.ts';

export async function suggestPolicyFor(where: Where, prefix?: string): Promise<PolicySuggestion> {
  const { session, from, calls } = await readSeen(where, prefix);
  const head = [
    `Under this policy session ${session.slice(0, 8)} would have run as it did, by what its ${SOURCES[from]}.`,
    'Whatever else agents do is asked about. Read it before you use it, and make patterns wider where they should be.',
  ];
  const { yaml, rules, left } = suggestPolicy(calls, { head, mask: (text) => maskText(text).text });
  return { session, from, calls: calls.length, rules, yaml, left };
}

const SOURCES = { transcripts: 'transcripts say', audit: 'hooks told' } as const;

type Seen = Pick<PolicySuggestion, 'session' | 'from'> & { readonly calls: readonly SeenCall[] };

/** Transcripts have every call whole; the audit stays where they are gone, and knows the folder of each call. */
async function readSeen(where: Where, prefix: string | undefined): Promise<Seen> {
  const { home } = thisMachine();
  await createGuardLog(where).drain();
  const places = placesOf(where);
  const opened = await createSessions(places, { clock: systemClock, named: where.roots.length > 0 })
    .open(prefix)
    .catch((error: unknown) => {
      if (error instanceof UserError && error.code !== 'session-ambiguous') return error;
      throw error;
    });
  if (opened instanceof UserError) return seenByHooks(prefix, home, opened);
  const { tree } = opened;
  const session = nativeId(tree.id);
  const folders = await foldersOfCalls(session);
  const hooks = ADAPTERS.find(({ host }) => host === hostOf(tree.id))?.hooks;
  const calls = (await readCalls(places, opened)).map(({ agent, id, tool, input }) => {
    const cwd = folders.get(id) ?? agent.cwd ?? tree.cwd;
    const named = hooks?.toCall?.(tool, input) ?? { tool, input };
    return { call: writtenCall({ agent, ...named, cwd }, tree, home) };
  });
  return { session, from: 'transcripts', calls };
}

async function foldersOfCalls(session: string): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  for await (const { call, cwd } of readLog(stateFolder(thisMachine()), { session }))
    if (call !== null && cwd !== null) folders.set(call, cwd);
  return folders;
}

async function seenByHooks(prefix: string | undefined, home: string, notFound: UserError): Promise<Seen> {
  const entries: AuditEntry[] = [];
  let session: string | undefined;
  const options = prefix === undefined ? {} : { session: prefix };
  for await (const entry of readLog(stateFolder(thisMachine()), options)) {
    session ??= entry.session ?? undefined;
    if (entry.session === session) entries.unshift(entry);
  }
  if (session === undefined) throw notFound;
  const calls = entries.map((entry) => {
    const { call, isSpoilt } = pastCall(entry, { home, tree: undefined, isChanged: isMaskedOrCut });
    return { call, ...(isSpoilt ? { trouble: 'in the audit it is masked or cut' } : {}) };
  });
  return { session, from: 'audit', calls };
}
