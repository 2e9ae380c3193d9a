import { memo } from 'preact/compat';
import { type AgentReport, PLAIN, paintMark, plural, standingOf } from '../../../../src/core/index.ts';
import { hueOf } from '../../parts/marks.tsx';
import { nameOf } from '../../store.ts';
import { groupText, kindText, nowText, statusText, tokensText, tokensTitle } from './graph-words.ts';

export interface CardProps {
  readonly agent: AgentReport;
  readonly x: number;
  readonly y: number;
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  /** Agents below it. */
  readonly below: number;
  readonly isFolded: boolean;
  readonly isSelected: boolean;
  /** The one that the tab key leads to. */
  readonly isFocusable: boolean;
  /** One line. */
  readonly isDense: boolean;
  /** Too small for words. */
  readonly isFar: boolean;
  /** Who asked for it, and how that is known. */
  readonly evidence: string;
  /** Only what is silent depends on it. */
  readonly now: number;
}

/** One agent. Which one was clicked is found by `data-key`: a thousand cards need no handlers of their own. */
export const Card = memo(function Card(props: CardProps) {
  const { agent, x, y, level, position, siblings, below, evidence, isFolded, isSelected, isFocusable } = props;
  const standing = standingOf(agent);
  return (
    <div
      role="treeitem"
      class={`graph-card graph-is-${standing.replace(' ', '-')} ${sizeOf(props)}`}
      data-key={agent.id}
      tabIndex={isFocusable ? 0 : -1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isSelected}
      {...(below > 0 && { 'aria-expanded': !isFolded })}
      style={{ transform: `translate(${x}px, ${y}px)`, '--graph-hue': hueOf(agent.hue) }}
    >
      <Content {...props} />
      <Unseen agent={agent} evidence={evidence} />
      {below > 0 && <FoldButton below={below} isFolded={isFolded} />}
    </div>
  );
});

function sizeOf({ isFar, isDense }: CardProps): string {
  return `${isFar ? 'graph-card-far' : ''} ${isDense ? 'graph-card-dense' : ''}`;
}

function Content({ agent, now, isFar, isDense }: CardProps) {
  if (isFar) return <FarContent agent={agent} now={now} />;
  return isDense ? <DenseContent agent={agent} now={now} /> : <FullContent agent={agent} now={now} />;
}

type ContentProps = Pick<CardProps, 'agent' | 'now'>;

function FullContent({ agent, now }: ContentProps) {
  const doing = nowText(agent);
  return (
    <>
      <span class="graph-name">{nameOf(agent)}</span>
      <span class="graph-kind">
        <span class="graph-cut">{kindText(agent)}</span>
        <Tokens agent={agent} />
      </span>
      <span class="graph-status">
        <Mark agent={agent} />
        <span class="graph-word">{statusText(agent, now)}</span>
        {doing !== '' && <span class="graph-cut graph-doing">{doing}</span>}
      </span>
    </>
  );
}

/** What it is doing says that it is at work; whatever else is the matter is said first. */
function DenseContent({ agent, now }: ContentProps) {
  const doing = standingOf(agent) === 'running' ? nowText(agent) : '';
  return (
    <>
      <Mark agent={agent} />
      <span class="graph-name">{nameOf(agent)}</span>
      <span class="visually-hidden">, {kindText(agent)}, </span>
      {doing === '' ? (
        <span class="graph-word">{statusText(agent, now).replace('silent for', 'silent')}</span>
      ) : (
        <span class="graph-cut graph-doing">
          <span class="visually-hidden">{statusText(agent, now)} </span>
          {doing}
        </span>
      )}
      <span class="visually-hidden">, context {tokensText(agent)}</span>
    </>
  );
}

function FarContent({ agent, now }: ContentProps) {
  return (
    <>
      <span class="graph-far-mark" aria-hidden="true">
        {paintMark(standingOf(agent), PLAIN)}
      </span>
      <span class="visually-hidden">
        {nameOf(agent)}, {kindText(agent)}, {statusText(agent, now)} {nowText(agent)}
      </span>
    </>
  );
}

function Mark({ agent }: { readonly agent: AgentReport }) {
  return (
    <span class="graph-mark" aria-hidden="true">
      {paintMark(standingOf(agent), PLAIN)}
    </span>
  );
}

function Tokens({ agent }: { readonly agent: AgentReport }) {
  return (
    <span class="graph-tokens" title={tokensTitle(agent)}>
      <span class="visually-hidden">context </span>
      {tokensText(agent)}
    </span>
  );
}

/** Lines and frames say it to the eye. */
function Unseen({ agent, evidence }: { readonly agent: AgentReport; readonly evidence: string }) {
  return (
    <span class="visually-hidden">
      {agent.group ? `, in ${groupText(agent.group)}` : ''}
      {evidence === '' ? '' : `. ${evidence}`}
    </span>
  );
}

/** For mouse and touch; the keyboard folds with left and right. */
function FoldButton({ below, isFolded }: { readonly below: number; readonly isFolded: boolean }) {
  return (
    <button
      type="button"
      class="graph-fold"
      tabIndex={-1}
      data-fold={isFolded ? 'open' : 'fold'}
      aria-label={isFolded ? `Show ${plural(below, 'sub-agent')}` : `Fold ${plural(below, 'sub-agent')}`}
    >
      {isFolded ? `+${below}` : '−'}
    </button>
  );
}
