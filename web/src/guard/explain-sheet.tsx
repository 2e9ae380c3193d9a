import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  callText,
  cleanBlock,
  cleanLine,
  type ExplainedTrial,
  type ExplainedUses,
  type GuardExplanation,
  type HeardCall,
  lineText,
  overridingRuleText,
  type RuleSuggestion,
  recordedText,
  trialRows,
  useRows,
  winnerText,
} from '../../../src/core/index.ts';
import { CopyButton, exactTime } from '../parts/marks.tsx';
import { Sheet } from '../shell/sheet.tsx';
import { useBackend } from '../store.ts';
import { DECISION_MARKS, explained, isExplaining } from './call-words.ts';
import './explain.css';

/** Which rules were tried for a call, which won and why, and what would allow it: as `troupe guard explain` says it. */
export function ExplainSheet() {
  const call = explained.value;
  return (
    <Sheet isOpen={isExplaining} title={call ? titleOf(call) : 'Why'}>
      {call && <Explanation key={call.n} call={call} />}
    </Sheet>
  );
}

function titleOf({ decision }: HeardCall): string {
  const words = { deny: 'Why it was denied', ask: 'Why it was asked about', allow: 'Why it was allowed' } as const;
  return decision === 'deny' || decision === 'ask' || decision === 'allow' ? words[decision] : 'What the policy says';
}

type Found = 'asked' | 'gone' | GuardExplanation | { readonly trouble: string };

function Explanation({ call }: { readonly call: HeardCall }) {
  const backend = useBackend();
  const found = useSignal<Found>('asked');
  useEffect(() => {
    backend.explain(call).then(
      (answer) => {
        found.value = answer ?? 'gone';
      },
      (error) => {
        found.value = { trouble: error instanceof Error ? error.message : String(error) };
      },
    );
  }, [backend, call.n]);
  const told = found.value;
  if (told === 'asked') return <p>Asking the policy…</p>;
  if (told === 'gone') return <p>It is not in the audit any more.</p>;
  if ('trouble' in told) return <p role="alert">It could not be explained: {cleanLine(told.trouble)}</p>;
  return <Told told={told} at={call.at} />;
}

function Told({ told, at }: { readonly told: GuardExplanation; readonly at: string }) {
  const { call, uses, tried, suggestion, caveats } = told;
  return (
    <div class="explain">
      <pre class="explain-call">
        <b>{cleanLine(call.tool)}</b> {callText(call.input)}
      </pre>
      <p class="dim">
        by {lineText(call)}, in {cleanLine(call.cwd ?? 'a folder that is not known')}, {exactTime(at)}
      </p>
      <Verdict told={told} />
      {caveats.map((caveat) => (
        <p key={caveat} class="explain-caveat">
          {cleanLine(caveat)}
        </p>
      ))}
      {suggestion && <RuleThatWouldAllow suggestion={suggestion} />}
      <TriedRules tried={tried} uses={uses} />
    </div>
  );
}

/** What was decided then, and what would be now: mostly the same. */
function Verdict({ told }: { readonly told: GuardExplanation }) {
  const { decision, rule, reason, recorded } = told;
  const isAsThen =
    recorded !== null && recorded.decision === decision && (recorded.rule ?? null) === (rule?.id ?? null);
  return (
    <>
      {recorded && recorded.decision !== 'observed' && !isAsThen && (
        <p class="explain-then">{recordedText(recorded)}</p>
      )}
      {decision !== null && (
        <p class={`explain-verdict explain-${decision}`}>
          {!isAsThen && <span class="dim">By the policy of now: </span>}
          <b>
            <span aria-hidden="true">{DECISION_MARKS[decision]}</span> {decision}
          </b>{' '}
          by {winnerText(told)}
        </p>
      )}
      {reason !== null && <p class="explain-reason">{cleanLine(reason)}</p>}
    </>
  );
}

/** Of a call that is denied or asked about: the rule to copy and where it goes, or why there is none. */
export function RuleThatWouldAllow({ suggestion }: { readonly suggestion: RuleSuggestion }) {
  const { yaml, reason, file, note, stands } = suggestion;
  return (
    <section>
      <h3>The rule that would allow exactly this</h3>
      {stands.map((rule) => (
        <p key={rule.id} class="explain-stands">
          {overridingRuleText(rule)}
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
