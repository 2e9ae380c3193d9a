import type { ExportWish } from '../backend.ts';

/** What a session can be handed on as, the one for most people first. */
export const EXPORT_FORMS: readonly {
  readonly as: ExportWish['as'];
  readonly title: string;
  readonly text: string;
}[] = [
  {
    as: 'page',
    title: 'One page (HTML)',
    text: 'Tree, race, replay and every transcript in one file. Opens in any browser, without a network.',
  },
  {
    as: 'md',
    title: 'Markdown',
    text: 'What the main agent said and did, and what it asked of its sub-agents and heard from them. Not what they did themselves.',
  },
  { as: 'json', title: 'JSON', text: 'The tree and every conversation, for programs.' },
];
