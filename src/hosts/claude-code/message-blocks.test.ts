import { expect, it } from 'vitest';
import { toBlocks } from './message-blocks.ts';

const OPTIONS = { isHarness: false, withMedia: false };

function textOfResult(content: string, isError: boolean): unknown {
  const block = { type: 'tool_result', tool_use_id: 'c1', content, is_error: isError };
  const [result] = toBlocks({ type: 'user', message: { role: 'user', content: [block] } }, OPTIONS);
  return result?.type === 'tool_result' ? result.text : undefined;
}

it('takes the marks off what the program says of a call that it did not run, and off nothing else', () => {
  const marked = '<tool_use_error>Error: No such tool available: Agent.</tool_use_error>';
  expect(textOfResult(marked, true)).toBe('Error: No such tool available: Agent.');
  expect(textOfResult(marked, false)).toBe(marked);
  expect(textOfResult(`grep: ${marked}`, true)).toBe(`grep: ${marked}`);
});
