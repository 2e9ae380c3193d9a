import { useEffect, useRef } from 'preact/hooks';
import { shownSession } from '../../store.ts';
import { followTree } from './camera-state.ts';
import { layout } from './graph-state.ts';
import { Hint } from './hint.tsx';
import { Legend } from './legend.tsx';
import { watchLooseKeys } from './loose-keys.ts';
import { Minimap } from './minimap.tsx';
import { watchPointing } from './pointing.ts';
import { Stage } from './stage.tsx';
import { takeLooseKey } from './stage-input.ts';
import { Tools } from './tools.tsx';
import './graph.css';

/** Who asked whom, as a tree from left to right. */
export function GraphView() {
  const session = shownSession.value;
  if (!session) return <p class="graph-empty">There is no session yet. When one begins, its agents stand here.</p>;
  return (
    <section class="graph" aria-label="Graph of who asked whom">
      <Board />
      <Tools />
      <Legend />
      <Minimap />
      {session.subagents.length === 0 && (
        <p class="graph-note">No sub-agents so far. Whoever this session asks for help appears to its right.</p>
      )}
    </section>
  );
}

function Board() {
  const board = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!board.current) return;
    const stops = [watchPointing(board.current), followTree(), watchLooseKeys(document, takeLooseKey)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <div class="graph-board" ref={board}>
      {layout.value && <Stage layout={layout.value} />}
      <Hint />
    </div>
  );
}
