import { cleanLine } from '../../../../src/core/index.ts';

/** `claude-opus-4-8`, `claude-sonnet-4-5-20250929`, and the older `claude-3-5-sonnet-20241022`. */
const NEW = /^claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?:-\d{8})?(?:\[.*\])?$/;
const OLD = /^claude-(\d{1,2})(?:-(\d{1,2}))?-([a-z]+)(?:-\d{8})?$/;

/** Short enough for a badge: opus 4.8. Models of other makers keep their name. */
export function shortModel(model: string | null): string {
  if (model === null) return '';
  const now = NEW.exec(model);
  if (now) return nameOf(now[1], now[2], now[3]);
  const before = OLD.exec(model);
  return before ? nameOf(before[3], before[1], before[2]) : cleanLine(model);
}

function nameOf(family = '', major = '', minor = ''): string {
  return `${family} ${major}${minor === '' ? '' : `.${minor}`}`;
}
