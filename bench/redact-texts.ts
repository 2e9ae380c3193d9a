import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { createRedactor } from '../src/redact/index.ts';
import { CREDENTIAL_RULES } from '../src/redact/rules/all-rules.ts';
import { fillSample } from '../src/redact/testing/fill-sample.ts';

const TEXT = /\.(?:d\.ts|tsx?|m?js|cjs|md|py|h|txt|html|json|rst|css)$|README|copyright$/i;

/** Sources and manuals, up to so many bytes a folder, spread over it; every finding in them counts as false. */
export function measureOrdinary(folders: readonly string[], bytes: number) {
  return folders.filter((folder) => existsSync(folder)).map((folder) => measureFolder(folder, bytes));
}

function measureFolder(folder: string, limit: number) {
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((file) => TEXT.test(file));
  let size = 0;
  let findings = 0;
  const examples: string[] = [];
  let seconds = 0;
  for (const file of files.toSorted((a, b) => spread(a) - spread(b))) {
    const full = path.join(folder, file);
    const stat = statSync(full, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > 3e6) continue;
    const text = readFileSync(full, 'utf8');
    const redactor = createRedactor();
    seconds += secondsOf(() => {
      redactor.scan(text);
      redactor.redactText(text);
    });
    size += text.length;
    for (const { rule, count } of redactor.findings()) {
      if (rule === 'home-directory') continue;
      findings += count;
      examples.push(`${rule} in ${path.basename(file)}`);
    }
    if (size > limit) break;
  }
  return { folder, megabytes: size / 1e6, findings, seconds, examples };
}

/** What each rule begins with, over and over: its keywords, and its samples without their ends. */
export function measureHostile() {
  const parts = new Set(
    CREDENTIAL_RULES.flatMap(({ keywords, samples }) => [
      ...keywords,
      ...samples.map((sample) => fillSample(sample).text.slice(0, -4)),
    ]),
  );
  const measure = (part: string, length: number): number => {
    const text = part.repeat(Math.ceil(length / part.length));
    return Math.min(...[1, 2].map(() => secondsOf(() => createRedactor().redactText(text))));
  };
  return [...parts]
    .map((part) => ({ part, seconds: measure(part, 50_000) }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, 6)
    .map(({ part, seconds }) => ({
      text: JSON.stringify(part.slice(0, 40)),
      milliseconds: seconds * 1e3,
      growth: measure(part, 200_000) / seconds,
    }));
}

function secondsOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** A fixed order that mixes folders. */
function spread(text: string): number {
  let sum = 0;
  for (const unit of text) sum = (Math.imul(sum, 31) + unit.charCodeAt(0)) | 0;
  return sum;
}
