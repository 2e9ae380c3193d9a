import type { Redactor } from '../redact/index.ts';
import type { Outline } from './pages/outline.ts';

/**
 * An outline that was made before everything was searched, as it would have been after. What it quotes stands on a page,
 * and is counted there.
 */
export function redactOutline(outline: Outline, { replaceOnly }: Redactor): Outline {
  const { agent, calls, asked, answered } = outline;
  const ids = [agent, ...calls.keys()].join('\n');
  const words = {
    asked: asked === undefined ? undefined : replaceOnly(asked),
    answered: answered === undefined ? undefined : replaceOnly(answered),
  };
  // Ids are links: one that holds a secret is replaced wherever it stands. Nearly always there is none.
  if (replaceOnly(ids) === ids) return { ...outline, ...words };
  const renamed = <Value>(map: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
    new Map([...map].map(([id, value]) => [replaceOnly(id), value]));
  return { ...outline, ...words, agent: replaceOnly(agent), calls: renamed(calls) };
}
