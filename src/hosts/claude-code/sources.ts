// What a file of Claude Code is, by its place and name, and whose.

import path from 'node:path';
import { toSourceId } from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import type { LocatedSource } from '../index.ts';
import { agentIdOf } from './line-context.ts';

/** `teammate`: a session of its own that is a member of a team (tmux, 2.1.32 and later). */
export type Role = 'session' | 'agent' | 'sidecar' | 'journal' | 'manifest' | 'teammate';

const KINDS: Readonly<Record<Role, Pick<LocatedSource, 'shape' | 'companion'>>> = {
  session: { shape: 'lines' },
  agent: { shape: 'lines' },
  teammate: { shape: 'lines' },
  journal: { shape: 'lines', companion: true },
  sidecar: { shape: 'document', companion: true },
  manifest: { shape: 'document', companion: true },
};

const AGENT_FILE = /^agent-(.+?)(\.meta\.json|\.jsonl)$/;
const WORKFLOW_FOLDER = /[\\/]workflows[\\/](wf_[^\\/]+)[\\/]/;
const MANIFEST = /[\\/]workflows[\\/](wf_[^\\/]+)\.json$/;

/** The source that a file is by its name; none where the name says nothing to us. */
export function toSource(root: string, file: string, role = roleOf(file)): LocatedSource | undefined {
  if (!role) return undefined;
  const native = role === 'agent' || role === 'sidecar' ? nativeAgentOf(file) : undefined;
  const agent = native === undefined ? undefined : agentIdOf(native);
  return { id: sourceIdOf(root, file), path: file, role, ...KINDS[role], ...known({ agent }) };
}

function roleOf(file: string): Role | undefined {
  const name = path.basename(file);
  const agent = AGENT_FILE.exec(name);
  if (agent) return agent[2] === '.meta.json' ? 'sidecar' : 'agent';
  if (name === 'journal.jsonl' && WORKFLOW_FOLDER.test(file)) return 'journal';
  return MANIFEST.test(file) ? 'manifest' : undefined;
}

export function nativeAgentOf(file: string): string | undefined {
  return AGENT_FILE.exec(path.basename(file))?.[1];
}

/** The run of a workflow whose folder, or manifest, it is. */
export function workflowRunOf(file: string): string | undefined {
  return (WORKFLOW_FOLDER.exec(file) ?? MANIFEST.exec(file))?.[1];
}

/** Agents that the host starts for itself name themselves in their file's name (2.1.38 to 2.1.88). */
const INTERNAL = /^a(compact|side_question|prompt_suggestion)-/;

export function internalPurpose(native: string | undefined): string | undefined {
  return INTERNAL.exec(native ?? '')?.[1]?.replace('_', ' ');
}

/** The data folder that a source lies below. */
export function rootOf({ id, path: file }: LocatedSource): string {
  return file.slice(0, -id.length - 1);
}

/** Below its root, with forward slashes: the same on every machine, so that trees and snapshots compare. */
function sourceIdOf(root: string, file: string) {
  return toSourceId(path.relative(root, file).split(path.sep).join('/'));
}
