import { computed } from '@preact/signals';
import type { EvidenceRank } from '../../../../src/core/index.ts';
import { layout } from './graph-state.ts';

const WORDS = [
  ['exact', 'certain'],
  ['strong', 'strong evidence'],
  ['guess', 'a guess'],
] as const satisfies readonly (readonly [EvidenceRank, string])[];

const ranks = computed(() => {
  const seen = new Set<EvidenceRank | undefined>();
  for (const { item } of layout.value?.placed ?? []) if (item.kind === 'agent') seen.add(item.agent.evidence?.rank);
  return WORDS.filter(([rank]) => seen.has(rank)).map(([rank]) => rank);
});

/** What the lines mean, where they do not all mean the same. */
export function Legend() {
  if (ranks.value.every((rank) => rank === 'exact')) return null;
  return (
    <ul class="graph-legend" aria-label="How links are known">
      {WORDS.filter(([rank]) => ranks.value.includes(rank)).map(([rank, word]) => (
        <li key={rank}>
          <svg width="28" height="8" aria-hidden="true" class={`graph-${rank}`}>
            <path class="graph-edge-line" d="M0,4H28" />
          </svg>
          {word}
        </li>
      ))}
    </ul>
  );
}
