import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { cleanLine } from '../../../src/core/index.ts';
import type { ViewName } from '../store.ts';
import { loadedView, loadView } from './view-tabs.tsx';

/** One view, fetched where it has to be. If it fails, everything around it goes on. */
export function ViewFrame({ name }: { readonly name: ViewName }) {
  const [failure, recover] = useErrorBoundary();
  const [refusal, setRefusal] = useState<unknown>(undefined);
  const [, setLoaded] = useState<ViewName | undefined>(undefined);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (loadedView(name)) return;
    let isWanted = true;
    loadView(name).then(
      () => isWanted && setLoaded(name),
      (error: unknown) => isWanted && setRefusal(error ?? new Error('It could not be fetched.')),
    );
    return () => {
      isWanted = false;
    };
  }, [name, tries]);
  const again = (): void => {
    setRefusal(undefined);
    recover();
    setTries(tries + 1);
  };
  const error: unknown = failure ?? refusal;
  if (error !== undefined && error !== null) return <Failure error={error} again={again} />;
  const View = loadedView(name);
  return View ? <View /> : <p class="empty-loading">Loading…</p>;
}

function Failure({ error, again }: { readonly error: unknown; readonly again: () => void }) {
  return (
    <div class="empty" role="alert">
      <h2>This view failed.</h2>
      <p>The other views go on. What it said: {cleanLine(error instanceof Error ? error.message : String(error))}</p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  );
}
