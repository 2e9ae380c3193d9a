import { type FSWatcher, statSync, watch } from 'node:fs';
import path from 'node:path';

/**
 * Calls back once a folder is there. Until then it watches the nearest folder above that exists, and goes down with what
 * appears. Where that cannot be watched, nothing is told: callers look now and then.
 */
export function awaitFolder(folder: string, onThere: () => void): { close(): void } {
  let watcher: FSWatcher | undefined;
  let closed = false;
  const close = (): void => {
    closed = true;
    watcher?.close();
  };
  const look = (): void => {
    if (closed) return;
    watcher?.close();
    if (isThere(folder)) {
      close();
      onThere();
      return;
    }
    const { above, awaited } = nearestAbove(folder);
    watcher = watchFor(above, awaited, look);
    // It may have come before it was watched for.
    if (isThere(path.join(above, awaited))) look();
  };
  look();
  return { close };
}

/** The nearest folder above that exists, and the name that is missing in it. */
function nearestAbove(folder: string): { readonly above: string; readonly awaited: string } {
  const above = path.dirname(folder);
  return above === folder || isThere(above) ? { above, awaited: path.basename(folder) } : nearestAbove(above);
}

/** The folder's own name is told when it goes itself. */
function watchFor(above: string, awaited: string, onChange: () => void): FSWatcher | undefined {
  try {
    const names = new Set([awaited, path.basename(above), null]);
    const watcher = watch(above, { persistent: false }, (_event, name) => names.has(name) && onChange());
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

function isThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
