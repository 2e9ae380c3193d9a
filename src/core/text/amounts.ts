/** 950, 12.3k, 4.5M: at most four characters of digits, so that columns stay narrow. */
export function formatCount(value: number): string {
  if (value < 1000) return String(value);
  if (value < 999_500) return `${short(value / 1000)}k`;
  return `${short(value / 1_000_000)}M`;
}

function short(value: number): string {
  return value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}

/** 0.4 s, 12 s, 3 min, 2 h, 5 d. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  if (seconds < 5970) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

export function formatAge(iso: string | null, now: number): string {
  if (iso === null) return '–';
  const ms = now - Date.parse(iso);
  return ms < 1000 ? 'now' : `${formatDuration(Math.max(1000, ms)).replace(/\.\d s$/, ' s')} ago`;
}

/** 512 B, 12.3 kB, 4.5 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${short(bytes / 1000)} kB`;
  return bytes < 999_500_000 ? `${short(bytes / 1_000_000)} MB` : `${short(bytes / 1_000_000_000)} GB`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
