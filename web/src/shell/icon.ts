/** The icon of the page with a dot on it, where somebody needs the person. Nothing of a transcript is in it. */
export function iconWithDot(colour: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#20242c"/><g fill="none" stroke="#8b93a1" stroke-width="1.5"><path d="M8 16h6M14 16V9h4M14 16v7h4"/></g><circle cx="8" cy="16" r="3.2" fill="#d8dce3"/><circle cx="21" cy="23" r="3.2" fill="#e69f00"/><circle cx="23" cy="9" r="8.5" fill="${colour}" stroke="#20242c" stroke-width="2"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
