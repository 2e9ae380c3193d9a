import { asText } from '../lib/json.ts';
import type { Mask } from './to-entry.ts';

const LONGEST = 400;

/**
 * The first line of what a call is about, with a mark for what does not show: a second line may do more than the first.
 * Masked before it is cut, for a secret may begin in one line and end in another.
 */
export function toSummaryLine(subject: string, mask: Mask): string | null {
  const lines = subject.split('\n').filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  const masked = asText(mask(subject.trim(), LONGEST)) ?? '';
  const line = masked.split('\n')[0]?.trim() ?? '';
  if (line === '') return null;
  // A line that was cut says so already.
  const more = first.trim().length > LONGEST ? 0 : lines.length - 1;
  return more === 0 ? line : `${line} … (+${more} ${more === 1 ? 'line' : 'lines'})`;
}
