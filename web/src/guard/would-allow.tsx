import { cleanBlock, cleanLine, type RuleSuggestion, standsText } from '../../../src/core/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';

/** Of a call that is denied or asked about: the rule to copy and where it goes, or why there is none. */
export function RuleThatWouldAllow({ suggestion }: { readonly suggestion: RuleSuggestion }) {
  const { yaml, reason, file, note, stands } = suggestion;
  return (
    <section>
      <h3>The rule that would allow exactly this</h3>
      {stands.map((rule) => (
        <p key={rule.id} class="explain-stands">
          {standsText(rule)}
        </p>
      ))}
      {yaml === null ? (
        <p>{cleanLine(reason ?? '')}</p>
      ) : (
        <>
          <div class="explain-rule">
            <pre>{cleanBlock(indented(yaml))}</pre>
            <CopyButton text={indented(yaml)} what="the rule" />
          </div>
          <p>
            It goes below <code>rules:</code> of{' '}
            {file === null ? 'your own policy.yaml' : <code>{cleanLine(file)}</code>}.{' '}
            <span class="dim">That is your own policy. Those of a project can only tighten.</span>
          </p>
          {note !== null && <p class="dim">{cleanLine(note)}</p>}
        </>
      )}
    </section>
  );
}

/** As it stands below `rules:`. */
function indented(yaml: string): string {
  return `${yaml.trimEnd().replace(/^(?=.)/gm, '  ')}\n`;
}
