/** On every answer. What it tells is for one person, now: nothing may keep, embed, sniff or pass it on. */
export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Content-Security-Policy', contentPolicy()],
];

/** Nothing is allowed but what is named, e.g. `style-src 'sha256-…'`. */
export function contentPolicy(...allowed: readonly string[]): string {
  return ["default-src 'none'", ...allowed, "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"].join(
    '; ',
  );
}
