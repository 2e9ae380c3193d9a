import {
  cleanLine,
  type DiagnosticCode,
  type DiagnosticReport,
  plural,
  type SessionDetail,
} from '../../../src/core/index.ts';
import { CopyButton } from './marks.tsx';

const SEVERITIES: Readonly<Record<DiagnosticReport['severity'], string>> = {
  info: 'nothing is lost',
  error: 'worked around',
  'data-loss': 'could not be read',
};

/** What was not understood, how often, and the first places of each kind. */
export function Diagnostics({ items }: { readonly items: readonly DiagnosticReport[] }) {
  return (
    <ul class="diagnostics">
      {items.map(({ code, severity, text, count, examples }) => (
        <li key={code}>
          <p>
            <b>{count}×</b> {text} <span class="dim">({SEVERITIES[severity]})</span>
          </p>
          <ul>
            {examples.map((example, index) => {
              const place = placeText(example);
              return (
                <li key={index}>
                  <span class="diagnostics-detail">{cleanLine(example.detail)}</span>
                  {place !== undefined && (
                    <span class="diagnostics-place">
                      <code>{cleanLine(place)}</code>
                      <CopyButton text={example.source ?? ''} what="the path of the file" />
                    </span>
                  )}
                </li>
              );
            })}
            {count > examples.length && <li class="dim">and {count - examples.length} more</li>}
          </ul>
        </li>
      ))}
    </ul>
  );
}

/** A line that was there and could not be made use of. A torn last line is only late; a comment is none. */
const LINES: readonly DiagnosticCode[] = [
  'unknown-record',
  'invalid-json',
  'not-a-record',
  'glued-lines',
  'nul-bytes',
  'line-too-long',
];

/** 12 lines not understood · 1 other problem. Empty where there is none. */
export function problemsText(sessions: readonly SessionDetail[]): string {
  const items = sessions.flatMap(({ diagnostics }) => diagnostics.items);
  const lines = countOf(items.filter(({ code }) => LINES.includes(code)));
  const others = countOf(items.filter(({ code, severity }) => !LINES.includes(code) && severity !== 'info'));
  return [
    ...(lines > 0 ? [`${plural(lines, 'line')} not understood`] : []),
    ...(others > 0 ? [plural(others, lines > 0 ? 'other problem' : 'problem')] : []),
  ].join(' · ');
}

function countOf(items: readonly DiagnosticReport[]): number {
  return items.reduce((sum, { count }) => sum + count, 0);
}

/** The file, and the byte at which it begins. */
export function placeText({ source, offset }: DiagnosticReport['examples'][number]): string | undefined {
  if (source === null) return undefined;
  return offset === null ? source : `${source} at byte ${offset}`;
}
