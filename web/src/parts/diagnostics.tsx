import { cleanLine, type DiagnosticReport } from '../../../src/core/index.ts';
import { CopyButton } from './copy-button.tsx';
import { placeText } from './problems.ts';

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
