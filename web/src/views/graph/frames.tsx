import { memo } from 'preact/compat';
import { groupText } from './graph-words.ts';
import type { Frame, Layout } from './tree-layout.ts';

/** Around the agents of a workflow or team, and the heading of those without a parent. */
export const Frames = memo(function Frames({ frames, orphansAt }: Pick<Layout, 'frames' | 'orphansAt'>) {
  return (
    <>
      {frames.map((frame) => (
        <FrameBox key={frame.key} frame={frame} />
      ))}
      {orphansAt && (
        <h2 class="graph-orphans" style={{ transform: `translate(${orphansAt.x}px, ${orphansAt.y}px)` }}>
          No parent known
        </h2>
      )}
    </>
  );
});

function FrameBox({ frame: { x, y, width, height, kind, name } }: { readonly frame: Frame }) {
  const text = groupText({ kind, name });
  return (
    <div
      class="graph-frame"
      style={{ transform: `translate(${x}px, ${y}px)`, width: `${width}px`, height: `${height}px` }}
    >
      <span class="graph-frame-name" title={text}>
        {text}
      </span>
    </div>
  );
}
