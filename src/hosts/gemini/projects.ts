// Which folder a project is. Chats lie in a folder with a short name (0.2x and later) or with the SHA-256 of the project's path.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { type AgentEvent, mainAgentOf, toSourceId } from '../../core/index.ts';
import { listFolder, readBeside } from '../../lib/folders.ts';
import { asObject, asText, parseJsonBytes } from '../../lib/json.ts';
import type { LocatedSession } from '../index.ts';
import { chatPlaceOf, PROJECT_ROOT_FILE, PROJECTS_FILE } from './data-folder.ts';

/** A path and a name for each project; a file beyond this is none that the program wrote. */
const MAX_BYTES = 4 * 1024 * 1024;

export async function readProjects(
  root: string,
  problems: string[] = [],
): Promise<(session: LocatedSession) => readonly AgentEvent[]> {
  const listed = await readList(path.join(root, PROJECTS_FILE), problems);
  const marked = await readMarks(path.join(root, 'tmp'), problems);
  const byName = new Map([
    // The name of a hash can be found among the paths that are known.
    ...[...new Set([...listed.values(), ...marked.values()])].map((place): [string, string] => [hashOf(place), place]),
    ...listed,
    ...marked,
  ]);
  return ({ id, sources }) => {
    const projects = new Set(sources.flatMap((source) => projectOf(root, source.path) ?? []));
    return [...projects].flatMap((project): readonly AgentEvent[] => {
      const cwd = byName.get(project);
      if (cwd === undefined) return [];
      // Named by the project: a session may lie in two, and the same one has to count whatever was read first.
      const origin = { source: toSourceId(`${PROJECTS_FILE}#${project}`), offset: 0, length: 0 };
      return [
        { kind: 'session-seen', session: id, origin, cwd, at: AFTER_ALL_ELSE },
        { kind: 'agent-seen', session: id, origin, agent: mainAgentOf(id), cwd },
      ];
    });
  };
}

/** The first folder that a session names is its own: what its chat says comes before what its project's place does. */
const AFTER_ALL_ELSE = Number.MAX_SAFE_INTEGER;

/** The name of the project's folder that a chat lies in. */
function projectOf(root: string, file: string): string | undefined {
  const place = file.startsWith(root + path.sep) ? chatPlaceOf(root, file) : undefined;
  return place && path.basename(path.dirname(place.chats));
}

function hashOf(place: string): string {
  return createHash('sha256').update(place).digest('hex');
}

async function readList(file: string, problems: string[]): Promise<ReadonlyMap<string, string>> {
  const bytes = await readBeside(file, problems, MAX_BYTES);
  const projects = asObject(asObject(bytes && parseJsonBytes(bytes))?.['projects']);
  return new Map(
    Object.entries(projects ?? {}).flatMap(([place, name]): [string, string][] =>
      asText(name) === undefined ? [] : [[String(name), place]],
    ),
  );
}

/** In each project's folder, a file with its path. */
async function readMarks(tmp: string, problems: string[]): Promise<ReadonlyMap<string, string>> {
  const marks = new Map<string, string>();
  for (const { name, kind } of await listFolder(tmp)) {
    if (kind !== 'folder') continue;
    const bytes = await readBeside(path.join(tmp, name, PROJECT_ROOT_FILE), problems, MAX_BYTES);
    const place = bytes?.toString('utf8').trim() ?? '';
    if (place !== '') marks.set(name, place);
  }
  return marks;
}
