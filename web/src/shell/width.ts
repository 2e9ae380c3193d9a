import { computed, signal } from '@preact/signals';

// How many columns there is room for. The same numbers stand in app.css: media queries know no variables.

const DESK = '(min-width: 1280px)';
const PHONE = '(max-width: 759px)';

const isDesk = follow(DESK);
const isPhone = follow(PHONE);

export const width = computed<'desk' | 'laptop' | 'phone'>(() =>
  isDesk.value ? 'desk' : isPhone.value ? 'phone' : 'laptop',
);

function follow(query: string) {
  const list = matchMedia(query);
  const state = signal(list.matches);
  list.addEventListener('change', ({ matches }) => {
    state.value = matches;
  });
  return state;
}
