import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { HeardCall } from '../../../../src/core/index.ts';

interface RowWindow {
  /** Those on the page: from `first` to before `last`. */
  readonly first: number;
  readonly last: number;
  /** Came below while the person looked further up. */
  readonly unseen: number;
  has(index: number): boolean;
  reveal(index: number): void;
  goToEnd(): void;
  onScroll(): void;
  /** After rows came or went: at the end it stays at the end; else what is in sight stays where it is. */
  settle(): void;
}

/** Beyond the edges, so that a quick hand finds rows there. */
const OVERSCAN = 12;

/** All rows are of one height: which of them are in sight is a matter of arithmetic. */
export function useRowWindow(
  body: RefObject<HTMLDivElement | null>,
  calls: readonly HeardCall[],
  rowPx: number,
): RowWindow {
  const [place, setPlace] = useState({ top: Number.MAX_SAFE_INTEGER, height: 0 });
  const kept = useRef<{ isAtEnd: boolean; firstN: number | undefined; seenN: number }>({
    isAtEnd: true,
    firstN: undefined,
    seenN: 0,
  });
  const visible = Math.ceil((place.height || 1000) / rowPx);
  const top = Math.max(0, Math.min(place.top, calls.length * rowPx - place.height));
  const first = Math.max(0, Math.floor(top / rowPx) - OVERSCAN);
  const last = Math.min(calls.length, Math.floor(top / rowPx) + visible + OVERSCAN);
  const lastN = calls.at(-1)?.n ?? 0;
  if (kept.current.isAtEnd) kept.current.seenN = lastN;
  const unseen = lastN > kept.current.seenN ? calls.filter(({ n }) => n > kept.current.seenN).length : 0;

  const look = (): void => {
    const box = body.current;
    if (!box) return;
    kept.current.isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - rowPx / 2;
    setPlace((before) =>
      before.top === box.scrollTop && before.height === box.clientHeight
        ? before
        : { top: box.scrollTop, height: box.clientHeight },
    );
  };
  useLayoutEffect(() => {
    const box = body.current;
    if (!box) return;
    const observer = new ResizeObserver(() => {
      if (kept.current.isAtEnd) box.scrollTop = box.scrollHeight;
      look();
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  return {
    first,
    last,
    unseen,
    has: (index) => index >= first && index < last,
    reveal(index) {
      const box = body.current;
      if (!box) return;
      const head = box.scrollHeight - calls.length * rowPx;
      const [from, to] = [index * rowPx, head + (index + 1) * rowPx];
      if (from < box.scrollTop) box.scrollTop = from;
      else if (to > box.scrollTop + box.clientHeight) box.scrollTop = to - box.clientHeight;
      look();
    },
    goToEnd() {
      if (body.current) body.current.scrollTop = body.current.scrollHeight;
      look();
    },
    onScroll: look,
    settle() {
      const box = body.current;
      if (!box) return;
      const { isAtEnd, firstN } = kept.current;
      const added = firstN === undefined ? 0 : calls.findIndex(({ n }) => n === firstN);
      if (isAtEnd) box.scrollTop = box.scrollHeight;
      else if (added > 0) box.scrollTop += added * rowPx;
      kept.current.firstN = calls[0]?.n;
      look();
    },
  };
}
