import { cleanLine, type HeardCall } from '../../../src/core/index.ts';
import { DECISION_MARKS } from './call-words.ts';
import { explainCall } from './explained.ts';

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
