/** Versions as numbers that can be compared: `1.2.3`, and whatever stands behind that is left out. */
export function versionNumber(version: string | undefined): number {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map((part) => Number.parseInt(part, 10) || 0);
  return (major * 1000 + minor) * 1_000_000 + patch;
}

export function isAtLeast(version: string | undefined, least: string): boolean {
  return versionNumber(version) >= versionNumber(least);
}
