import { expect, it } from 'vitest';
import { toSessionId, toSourceId } from '../../core/index.ts';
import { createKeptHookReader } from './hook-records.ts';

const read = (text: string) => {
  const bytes = Buffer.from(text);
  const line = { bytes, offset: 0, length: bytes.length, torn: false, tooLong: false };
  return createKeptHookReader(toSessionId('codex', 's'), toSourceId('hooks')).read(line);
};

it('who asks, and that it is over', () => {
  expect(read('{"id":"1","at":5,"payload":{"asks":"a"}}')).toMatchObject([
    { kind: 'agent-asked', agent: 'codex:a', at: 5 },
  ]);
  expect(read('{"id":"2","at":6,"payload":{"closes":true}}')).toMatchObject([{ kind: 'session-closed', at: 6 }]);
  expect(read('{"id":"3","at":7,"payload":{}}')).toEqual([]);
});

it('what cannot be read is told', () => {
  for (const text of ['', '{', '{"payload":{}}', '{"at":1}'])
    expect(read(text)).toMatchObject([{ kind: 'problem-found', diagnostic: { code: 'invalid-json' } }]);
});
