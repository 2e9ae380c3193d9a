import { computed, effect } from '@preact/signals';
import { lostSince, picture } from '../store.ts';
import { countsOf } from './counts.ts';
import { iconWithDot } from './icon.ts';
import { titleText } from './page-title.ts';

export const counts = computed(() => countsOf(picture.value));

const NEEDS_YOU = '#ffb000';

/** The title and the icon of the page say it, too: the page is mostly behind another one. */
export function startPageHead(page: Document): void {
  const link = page.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const plain = link?.href;
  effect(() => {
    page.title = titleText(counts.value, lostSince.value !== undefined);
  });
  const needsYou = computed(() => counts.value.some(({ name }) => name === 'needs-you'));
  effect(() => {
    if (link && plain !== undefined) link.href = needsYou.value ? iconWithDot(NEEDS_YOU) : plain;
  });
}
