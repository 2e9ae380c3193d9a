import { memo } from 'preact/compat';
import { hueOf } from '../../parts/hue.ts';
import type { Edge } from './edges.ts';
import type { Box } from './tree-layout.ts';

/** The lines, and a second sheet above them that holds only the live ones: its glow costs one layer, not one per line. */
export const EdgeLines = memo(function EdgeLines({
  edges,
  bounds,
  isFar,
}: {
  readonly edges: readonly Edge[];
  readonly bounds: Box;
  readonly isFar: boolean;
}) {
  const sheet = {
    width: bounds.width,
    height: bounds.height,
    viewBox: `${bounds.x} ${bounds.y} ${bounds.width} ${bounds.height}`,
    style: { left: `${bounds.x}px`, top: `${bounds.y}px` },
  } as const;
  return (
    <>
      <svg class="graph-lines" aria-hidden="true" {...sheet}>
        {edges.map((edge) => (
          <EdgeLine key={edge.child} {...edge} isFar={isFar} />
        ))}
      </svg>
      <svg class="graph-lines graph-glow" aria-hidden="true" {...sheet}>
        {edges
          .filter(({ isLive }) => isLive)
          .map(({ child, path, hue }) => (
            <path key={child} d={path} style={{ stroke: hueOf(hue) }} />
          ))}
      </svg>
    </>
  );
});

const EdgeLine = memo(
  function EdgeLine({ path, rank, isLive, isOver, hue, middle, isFar, child }: Edge & { readonly isFar: boolean }) {
    const known = rank ?? 'exact';
    return (
      <g class={`graph-edge graph-${known}${isOver ? ' graph-edge-over' : ''}`}>
        <path class="graph-edge-line" d={path} style={isLive ? { stroke: hueOf(hue) } : {}} />
        {!isFar && <path class="graph-edge-reach" d={path} data-edge={child} />}
        {rank === 'guess' && !isFar && (
          <text class="graph-edge-doubt" x={middle.x} y={middle.y}>
            ?
          </text>
        )}
      </g>
    );
  },
  (a, b) =>
    a.path === b.path && a.rank === b.rank && a.isLive === b.isLive && a.isOver === b.isOver && a.isFar === b.isFar,
);
