import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { type Backend, useBackend } from '../backend.ts';
import { Since } from '../parts/ago.tsx';
import { wallTime } from '../parts/time-text.ts';
import { lostSince, picture } from '../store.ts';

/** A server that is started anew is back at once: no need to worry anybody. */
const GRACE_MS = 1500;
const ASK_MS = 4000;

/** Above everything else, as long as there is no connection. */
export function Banner() {
  const backend = useBackend();
  const since = lostSince.value;
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    setShown(false);
    if (since === undefined) {
      isTokenMissing.value = false;
      return;
    }
    askWhyLost(backend);
    const timer = setTimeout(() => setShown(true), GRACE_MS);
    const asking = setInterval(() => askWhyLost(backend), ASK_MS);
    return () => {
      clearTimeout(timer);
      clearInterval(asking);
    };
  }, [since, backend]);
  if (since === undefined || !isShown || !picture.value) return null;
  return (
    <div class="banner" role="alert">
      <span aria-hidden="true">⚠</span>{' '}
      {isTokenMissing.value ? (
        <span>This browser is no longer logged in. Type `troupe open` in a terminal.</span>
      ) : (
        <span>
          No connection since {wallTime(since)} (<Since at={since} isLive />
          ). You see what was known then; it goes on by itself when troupe is back.
        </span>
      )}
    </div>
  );
}

/** The server is there, but does not know us: the page was opened without its token, or it is another server by now. */
export const isTokenMissing = signal(false);

/** A lost stream of events does not say why: so the server is asked. */
async function askWhyLost(backend: Backend): Promise<void> {
  if (backend.kind !== 'live') return;
  try {
    const { status } = await fetch('api/status');
    isTokenMissing.value = status === 401;
  } catch {
    // Nobody answers at all: that is what the banner says.
    isTokenMissing.value = false;
  }
}
