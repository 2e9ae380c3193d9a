// Where a session's transcripts lie, by generation. A layout is an object: a new one is a new entry of LAYOUTS.
import path from 'node:path';
import { listFilesBelow } from '../../io/folders.ts';
import { type AgentId, type SessionId, toSourceId } from '../../model/ids.ts';
import type { LocatedSource } from '../adapter.ts';
import { agentIdOf } from './line-context.ts';

export interface Layout {
  readonly name: string;
  /** Host versions it was seen with. */
  readonly versions: string;
  /** The agents' files of one session, given the folder of its project. */
  agentSources(root: string, projectFolder: string, sessionName: string): Promise<LayoutFiles>;
}

export interface LayoutFiles {
  readonly sources: readonly LocatedSource[];
  /** Files there that belong to no known kind. */
  readonly ignored: readonly string[];
}

/** `<project>/<session>/subagents/agent-<id>.jsonl`, from 2.1.81 on with `agent-<id>.meta.json`; nested agents lie flat. */
const subagentsFolder: Layout = {
  name: 'subagents folder',
  versions: '2.1.2 and later',
  async agentSources(root, projectFolder, sessionName) {
    const files = await listFilesBelow(path.join(projectFolder, sessionName, 'subagents'));
    const sources: LocatedSource[] = [];
    const ignored: string[] = [];
    for (const file of files) {
      const source = toAgentSource(root, file);
      if (source) sources.push(source);
      else ignored.push(file);
    }
    return { sources, ignored };
  },
};

export const LAYOUTS: readonly Layout[] = [subagentsFolder];

/** The role of a source says what it is and whose. */
const ROLES = { transcript: 'agent-transcript', sidecar: 'agent-sidecar', session: 'session-transcript' } as const;

const AGENT_FILE = /^agent-(.+?)(\.meta\.json|\.jsonl)$/;

export function toAgentSource(root: string, file: string): LocatedSource | undefined {
  const match = AGENT_FILE.exec(path.basename(file));
  if (!match) return undefined;
  const isSidecar = match[2] === '.meta.json';
  return {
    id: sourceIdOf(root, file),
    path: file,
    shape: isSidecar ? 'document' : 'lines',
    role: isSidecar ? ROLES.sidecar : ROLES.transcript,
  };
}

export function toSessionSource(root: string, file: string): LocatedSource {
  return { id: sourceIdOf(root, file), path: file, shape: 'lines', role: ROLES.session };
}

export function isSidecar(source: LocatedSource): boolean {
  return source.role === ROLES.sidecar;
}

/** Whose file it is: an agent's by its name, everything else is the session's own. */
export function agentOfSource(source: LocatedSource, session: SessionId): AgentId {
  const native = source.role === ROLES.session ? undefined : AGENT_FILE.exec(path.basename(source.path))?.[1];
  return native === undefined ? (session as string as AgentId) : agentIdOf(native);
}

/** Agents that the host starts for itself name themselves in their file's name (2.1.38 to 2.1.88). */
const INTERNAL = /^a(compact|side_question|prompt_suggestion)-/;

export function internalPurpose(native: string): string | undefined {
  return INTERNAL.exec(native)?.[1]?.replace('_', ' ');
}

/** Below its root, with forward slashes: the same on every machine, so that trees and snapshots compare. */
function sourceIdOf(root: string, file: string) {
  return toSourceId(path.relative(root, file).split(path.sep).join('/'));
}
