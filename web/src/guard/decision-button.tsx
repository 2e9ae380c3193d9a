import { cleanLine, type HeardCall } from '../../../src/core/index.ts';
import { DECISION_MARKS, explainCall } from './call-words.ts';

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

export interface InputField {
  /** Empty where the input is no object. */
  readonly name: string;
  readonly text: string;
}

/** What a tool was given, for reading: texts as they are, everything else as JSON. */
export function inputFields(input: unknown): readonly InputField[] {
  const isRecord = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (!isRecord) return [{ name: '', text: toText(input) }];
  const fields = Object.entries(input);
  return fields.length === 0
    ? [{ name: '', text: '{}' }]
    : fields.map(([name, value]) => ({ name, text: toText(value) }));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
