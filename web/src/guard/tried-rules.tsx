import { type ExplainedTrial, type ExplainedUses, trialRows, useRows } from '../../../src/core/index.ts';
import { DECISION_MARKS } from './call-words.ts';

interface Props {
  readonly tried: readonly ExplainedTrial[];
  readonly uses: ExplainedUses | null;
}

/** What the call does, and every rule that was held against it: for the agent itself, and for those above it. */
export function TriedRules({ tried, uses }: Props) {
  const does = uses === null ? [] : useRows(uses);
  const rows = trialRows(tried);
  return (
    <>
      {does.length > 0 && (
        <section>
          <h3>What it does</h3>
          <dl class="explain-uses">
            {does.map(({ verb, text }) => (
              <div key={`${verb} ${text}`}>
                <dt>{verb}</dt>
                <dd>
                  <code>{text}</code>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {rows.length > 0 && (
        <section>
          <h3>Rules that were looked at</h3>
          <ul class="explain-tried">
            {rows.map(({ isMatch, decision, rule, as, cameOfIt }) => (
              <li key={`${rule} ${as}`} class={isMatch ? `explain-match explain-${decision}` : 'dim'}>
                <span class="explain-says">
                  <span aria-hidden="true">{DECISION_MARKS[decision]}</span> {decision}
                </span>
                <span>{rule}</span>
                <span>for {as}</span>
                <span>{cameOfIt}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {uses !== null && rows.length === 0 && <p class="dim">There is no rule that could be about it.</p>}
    </>
  );
}
