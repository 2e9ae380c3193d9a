import { signal } from '@preact/signals';
import { cleanLine, type HeardCall } from '../../../src/core/index.ts';
import { DECISION_MARKS } from './call-words.ts';

interface Props {
  readonly call: HeardCall;
  /** In a grid the keys go to the rows, not to their buttons. */
  readonly isInGrid?: boolean;
  readonly onPress?: () => void;
}

/** What was decided; a press says why. */
export function DecisionButton({ call, isInGrid = false, onPress }: Props) {
  const { decision, tool, summary } = call;
  const press = (): void => {
    onPress?.();
    explainCall(call);
  };
  return (
    <button
      type="button"
      class="decision"
      {...(isInGrid ? { tabIndex: -1 } : {})}
      aria-label={cleanLine(`${decision}: explain ${tool ?? 'the call'} ${summary ?? ''}`.trimEnd())}
      onClick={press}
    >
      <span aria-hidden="true">{DECISION_MARKS[decision]}</span> {decision}
    </button>
  );
}

/** The call that the sheet in front of the page is about. Kept while it closes. */
export const explained = signal<HeardCall | undefined>(undefined);
export const isExplaining = signal(false);

/** Why was it decided so? From any line that shows a decision. */
export function explainCall(call: HeardCall): void {
  explained.value = call;
  isExplaining.value = true;
}
