import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { nativeId } from '../../core/index.ts';
import { bytesOf, eventsOf } from '../testing/feed.ts';
import { copilot } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

/** Who asked what, and which of it was answered, in the order of the file. */
async function questionsIn(name: string): Promise<readonly string[]> {
  const [session] = (await copilot.locate(path.join(fixtures, name))).sessions;
  if (!session) throw new Error(`no session in ${name}`);
  return bytesOf(session)
    .flatMap((fed) => eventsOf(copilot, session, fed))
    .flatMap((event) => {
      if (event.kind !== 'agent-asked' && event.kind !== 'agent-answered') return [];
      const what = event.kind === 'agent-asked' ? `asks for ${event.about}` : 'has its answer';
      return [`${nativeId(event.agent).slice(0, 8)} ${what}: ${event.id?.slice(0, 8)}`];
    });
}

it('an agent asks for permission, and is allowed or interrupted', async () => {
  expect(await questionsIn('1.0.102-terminal')).toMatchInlineSnapshot(`
    [
      "d6ccafaa asks for permission: 21d7a53b",
      "d6ccafaa has its answer: 21d7a53b",
      "0023dd9b asks for permission: e4671034",
      "0023dd9b has its answer: e4671034",
      "95578bbb asks for permission: d1894fd1",
      "95578bbb has its answer: d1894fd1",
    ]
  `);
});

it('an agent asks which way to go', async () => {
  expect(await questionsIn('1.0.102-asks')).toMatchInlineSnapshot(`
    [
      "711916f5 asks for input: call_01m",
      "711916f5 has its answer: call_01m",
    ]
  `);
});

it('nothing is asked where everything is allowed', async () => {
  expect(await questionsIn('1.0.102-guarded')).toEqual([]);
});
