// Ids of Claude Code, made anew: a recording that is played twice must not be the same session twice.
import { createHash } from 'node:crypto';

/**
 * Sessions and lines, agents (named ones too: `aalice-c57bf7172d0759e4`), calls, replies and requests. They also stand in
 * texts, where they must change as well: a result tells its caller the agent's id in words. Lines need new ids because a
 * session that shares its first line with another one is taken for a fork of it.
 */
const IDS =
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\ba(?:[\w-]+-)?[0-9a-f]{16}\b|\b(?:toolu|msg|req)_01\w{22}\b/g;

export function rename(text: string, take: number): string {
  return take === 0 ? text : text.replace(IDS, (id) => renew(id, take));
}

/** Of the same length and notation. What comes before the last digits is a name or a prefix, and stays. */
function renew(id: string, take: number): string {
  return id.replace(/(?:[0-9a-f-]{36}|[0-9a-f]{16}|\w{22})$/, (end) => {
    const digits = createHash('sha256').update(`${take} ${end}`).digest('hex');
    let next = 0;
    return end.replace(/\w/g, () => digits.charAt(next++));
  });
}
