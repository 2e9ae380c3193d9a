// How the Markdown of messages is read, wherever it is shown.

export const MARKDOWN_OPTIONS = { html: false, linkify: true, breaks: true, typographer: false } as const;

interface LinkFinder {
  set(options: { readonly fuzzyLink: boolean; readonly fuzzyEmail: boolean; readonly fuzzyIP: boolean }): unknown;
  add(schema: string, rule: null): unknown;
}

/** In running text, only what begins like an address of the web is one. */
export function findWebLinksOnly(finder: LinkFinder): void {
  finder.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const schema of ['ftp:', 'mailto:', '//']) finder.add(schema, null);
}

/** Longer texts are shown as they are: a page must not stand still for the sake of headings. */
export const MAX_MARKDOWN = 100_000;
/** Of code that is coloured. */
export const MAX_COLOURED = 50_000;
