// Paths as texts: `.` and `..` taken out, nothing asked of a disk.

export function isAbsolute(path: string): boolean {
  return path.startsWith('/');
}

export function joinPath(folder: string, path: string): string {
  return normalize(isAbsolute(path) ? path : `${folder}/${path}`);
}

/** Absolute and without `.`, `..`, double slashes and a slash at the end. */
export function normalize(path: string): string {
  const kept: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') kept.pop();
    else kept.push(name);
  }
  return `/${kept.join('/')}`;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
