/** Lengths for a style: Preact adds no unit by itself. */
export function pixels<Name extends string>(lengths: Readonly<Record<Name, number>>): Record<Name, string> {
  const named = Object.entries<number>(lengths).map(([name, length]) => [name, `${length}px`]);
  return Object.fromEntries(named);
}
