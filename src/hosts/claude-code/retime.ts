// Moves the times of a line or a document of Claude Code. Versions seen: 1.0.60 to 2.1.325.

/** Where the program itself notes a time, by the keys that lead there. Whatever else looks like one is somebody's text. */
const OWN_TIMES = new Set([
  'timestamp',
  'attachment.timestamp',
  // `file-history-snapshot`
  'snapshot.timestamp',
  // `progress`: the line of an agent, inside its parent's (2.1.9 to 2.1.83)
  'data.message.timestamp',
  // `cost-state`, and the manifest of a workflow
  'startTime',
  'workflowProgress.queuedAt',
  'workflowProgress.startedAt',
  'workflowProgress.lastProgressAt',
  // `sessions/<pid>.json`. Its `startedAt` is left alone: it has to be that of the process.
  'updatedAt',
  'statusUpdatedAt',
]);

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/**
 * `toNow` is asked in epoch milliseconds, and answers in whole ones. Works on the text: JSON that is parsed and written
 * again would not come out byte for byte.
 */
export function retime(text: string, toNow: (at: number) => number): string {
  /** The containers around the token: their keys, and whether it is keys that they hold. */
  const around: { readonly key: string; readonly isObject: boolean }[] = [];
  let key = '';
  let isKeyNext = false;
  return text.replace(TOKEN, (token) => {
    if (token === '{' || token === '[') {
      around.push({ key, isObject: token === '{' });
      key = '';
      isKeyNext = token === '{';
    } else if (token === '}' || token === ']') {
      around.pop();
    } else if (token === ',') {
      key = '';
      isKeyNext = around.at(-1)?.isObject ?? false;
    } else if (token === ':') {
      isKeyNext = false;
    } else if (isKeyNext) {
      key = token.slice(1, -1);
    } else if (OWN_TIMES.has(pathTo(key, around))) {
      return move(token, toNow);
    }
    return token;
  });
}

/** Entries of a list have no key: they count as their list. */
function pathTo(key: string, around: readonly { readonly key: string }[]): string {
  return [...around.map((container) => container.key), key].filter((name) => name !== '').join('.');
}

/** In the two notations that the program uses; anything else is no time. */
function move(token: string, toNow: (at: number) => number): string {
  if (/^\d{13}$/.test(token)) return String(toNow(Number(token)));
  const at = Date.parse(token.slice(1, -1));
  const isIso = !Number.isNaN(at) && token === `"${new Date(at).toISOString()}"`;
  return isIso ? `"${new Date(toNow(at)).toISOString()}"` : token;
}
