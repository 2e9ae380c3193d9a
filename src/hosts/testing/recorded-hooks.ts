// Recorded payloads of hooks, with the places in them moved to where the recording's files lie now.
import { readFileSync } from 'node:fs';

export type Payload = Readonly<Record<string, unknown>>;

export function recordedHooks(file: string, places: Readonly<Record<string, string>> = {}): readonly Payload[] {
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of Object.entries(places)) text = text.replaceAll(from, to);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
