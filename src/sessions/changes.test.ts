import { describe, expect, it } from 'vitest';
import { Changes } from './changes.ts';

describe('changes', () => {
  it('reports lines of followed files without waiting for a folder of thousands', () => {
    const changes = new Changes((file) => file === 'live.jsonl');
    for (let index = 0; index < 5_000; index++) changes.addFile(`moved/${index}.jsonl`, 'entry');
    changes.addFile('live.jsonl', 'written');
    expect([...changes.takeUrgent().files.keys()]).toEqual(['live.jsonl']);
    expect([...changes.take(2).files.keys()]).toEqual(['moved/0.jsonl', 'moved/1.jsonl']);
    expect([...changes.take(2).files.keys()]).toEqual(['moved/2.jsonl', 'moved/3.jsonl']);
  });

  it('checks folders that are not followed as a whole, once', () => {
    const changes = new Changes(() => false);
    changes.addFile('one', 'written');
    changes.addFile('one', 'written');
    expect([...changes.take(10).files]).toEqual([['one', 'entry']]);
    expect(changes.isEmpty()).toBe(true);
  });
});
