import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { cleanLine } from '../../../../src/core/index.ts';
import { hueOf } from '../../parts/hue.ts';
import type { AgentRef } from '../../store.ts';
import type { Speakers } from './message-row.tsx';
import { agentIn, nameOf, sessionOf } from './who.ts';

export function useSpeakers(at: AgentRef): Speakers {
  const agent = useComputed(() => agentIn(at.session, at.agent)).value;
  const parent = useComputed(() =>
    agent?.parentId === null || agent === undefined ? undefined : agentIn(at.session, agent.parentId),
  ).value;
  const isSubAgent = agent ? agent.kind !== 'main' : at.agent !== at.session;
  const name = agent ? nameOf(agent) : isSubAgent ? 'sub-agent' : 'main';
  const asker = parent ? nameOf(parent) : 'asked by';
  const host = useComputed(() => cleanLine(sessionOf(at.session)?.hostTitle ?? 'the program')).value;
  const model = agent?.model ?? null;
  const [hue, askerHue] = [hueOf(agent?.hue ?? null), hueOf(parent?.hue ?? null)];
  return useMemo(
    () => ({
      isSubAgent,
      names: { person: 'you', parent: asker, agent: name, host },
      hues: { person: 'var(--text)', parent: askerHue, agent: hue, host: 'var(--text-faint)' },
      model,
    }),
    [isSubAgent, name, asker, host, model, hue, askerHue],
  );
}
