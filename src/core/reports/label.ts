import { nativeId } from '../ids.ts';
import type { AgentNode } from '../tree.ts';

/** What an agent is called everywhere: its name, else what it was asked to do, else its type, else a short id. */
export function labelOf({ id, name, description, promptHead, type }: AgentNode): string {
  return [name, description, promptHead, type].find((text) => text?.trim()) ?? nativeId(id).slice(0, 8);
}
