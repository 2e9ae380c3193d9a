import type { TimelineAgent } from '../../../src/core/index.ts';

export interface ChangedFile {
  readonly path: string;
  readonly times: number;
}

/** Files that calls wrote until `at`, in the order of their first change. A call that failed changed nothing. */
export function filesChanged(agents: readonly TimelineAgent[], at: number): readonly ChangedFile[] {
  const times = new Map<string, number>();
  const written = agents
    .flatMap(({ calls }) => calls)
    .filter(({ outcome, endedAt }) => outcome === 'ok' && (endedAt === null || Date.parse(endedAt) <= at));
  for (const { writes } of written) if (writes !== null) times.set(writes, (times.get(writes) ?? 0) + 1);
  return [...times].map(([path, count]) => ({ path, times: count }));
}

/** Below the folder of the session: without it. */
export function shortPath(path: string, folder: string | null): string {
  if (folder === null || folder === '') return path;
  const prefix = /[\\/]$/.test(folder) ? folder : `${folder}${folder.includes('\\') ? '\\' : '/'}`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
