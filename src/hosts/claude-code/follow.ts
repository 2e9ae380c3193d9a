// What a change below a data folder of Claude Code is about: by its place, so that one new file costs one look.

import path from 'node:path';
import { nativeId, toSessionId } from '../../core/index.ts';
import { isFolder } from '../../lib/folders.ts';
import type { FollowCapability, Subject } from '../index.ts';
import { sessionNamedIn } from './layouts.ts';
import { HOST } from './line-context.ts';
import { locateParts, PUT_ASIDE, readCompanions } from './locate.ts';
import { nativeAgentOf } from './sources.ts';

/** Beside `projects/`: records of processes, and the teams' letters. */
const FACTS = new Set(['sessions', 'teams']);
/** In a session's folder: its agents and their workflows. */
const AGENT_FOLDERS = new Set(['subagents', 'workflows']);
/** Whole results of tools, thousands of files (2.1.2 and later), and notes of the person's: nothing for the tree. */
const WITHOUT_USE = new Set(['tool-results', 'memory']);

export const follow: FollowCapability = {
  async watched(root) {
    let hasProjects = await isFolder(path.join(root, 'projects'));
    return (folder) => {
      // The data folder, or `projects/` in it, may appear later.
      hasProjects ||= folder === path.join(root, 'projects');
      const [first = '', ...below] = partsBelow(root, folder);
      if (below.some((name) => WITHOUT_USE.has(name))) return false;
      return !hasProjects || first === 'projects' || FACTS.has(first);
    };
  },
  async subjectOf(root, place) {
    const parts = partsBelow(root, place);
    if (FACTS.has(parts[0] ?? '')) return { kind: 'facts' };
    const at = parts.findIndex((name) => AGENT_FOLDERS.has(name));
    const session = parts[at - 1];
    const project = path.join(root, ...parts.slice(0, at === -1 ? -1 : at - 1));
    if (at === 0 || !(await isProject(root, project))) return { kind: 'nothing' };
    if (session !== undefined) return partOf(project, session);
    const name = parts.at(-1) ?? '';
    const putAside = PUT_ASIDE.exec(name)?.[1];
    if (putAside !== undefined) return partOf(project, putAside);
    if (!name.endsWith('.jsonl')) return { kind: 'nothing' };
    if (nativeAgentOf(place) === undefined) return partOf(project, name.slice(0, -'.jsonl'.length));
    const named = await sessionNamedIn(place);
    return named === undefined ? { kind: 'nothing' } : partOf(project, named);
  },
  locateParts: (root, folder, ids) => locateParts(root, folder, ids.map(nativeId)),
  readFacts: (root) => readCompanions(root),
};

/** Where `locate` looks for sessions: `data-folder.ts` has the rule. It may be gone by now. */
async function isProject(root: string, folder: string): Promise<boolean> {
  const depth = folder === root ? 0 : partsBelow(root, folder).length;
  const hasProjects = await isFolder(path.join(root, 'projects'));
  return hasProjects ? depth === 2 && partsBelow(root, folder)[0] === 'projects' : depth <= 1;
}

function partOf(folder: string, session: string): Subject {
  return { kind: 'part', part: { id: toSessionId(HOST, session), folder } };
}

function partsBelow(root: string, place: string): readonly string[] {
  return path.relative(root, place).split(path.sep);
}
