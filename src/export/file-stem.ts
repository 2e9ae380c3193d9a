const LONGEST_PROJECT = 60;
const ID_LENGTH = 8;

/**
 * What a downloaded session is called, without its ending: letters, digits and dashes only, on any system. `folder` is where
 * it took place, redacted already: a home folder is named after its owner.
 */
export function fileStem(folder: string | null, session: string): string {
  const project = (folder ?? '').split(/[/\\]/).findLast((part) => part !== '') ?? '';
  return ['troupe', plain(project).slice(0, LONGEST_PROJECT), plain(session).slice(0, ID_LENGTH)]
    .map((part) => part.replace(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('-');
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_]+/g, '-');
}
