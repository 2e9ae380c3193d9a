import { camera, showAll, zoom } from './camera-state.ts';
import { folds } from './graph-state.ts';

/** Zoom and fit, for those who have no wheel. */
export function Tools() {
  return (
    <div class="graph-tools" role="toolbar" aria-label="Zoom">
      <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(1.25)}>
        +
      </button>
      <output class="graph-scale">{Math.round(camera.value.k * 100)} %</output>
      <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={() => zoom(0.8)}>
        −
      </button>
      <button type="button" title="Show all of it (0)" onClick={showAll}>
        Fit
      </button>
      {folds.value.size > 0 && (
        <button
          type="button"
          title="Forget what was folded and opened by hand"
          onClick={() => {
            folds.value = new Map();
          }}
        >
          Unfold
        </button>
      )}
    </div>
  );
}
