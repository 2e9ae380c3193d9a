/**
 * So many characters of an id that people can tell it from others: those of a host's prefix (`ses_`), which is the same for
 * all, do not count.
 */
export function shortId(id: string): string {
  const [prefix = ''] = /^[a-z]{2,4}_/.exec(id) ?? [];
  return id.slice(0, prefix.length + 8);
}
