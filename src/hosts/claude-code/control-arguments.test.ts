import { describe, expect, it } from 'vitest';
import { planControl } from './control-arguments.ts';

const STEERED = [
  ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
  ...['--permission-prompt-tool', 'stdio'],
];

describe('the command line of a steered program', () => {
  it('keeps what is the program’s, and finds the prompt', () => {
    const plan = planControl(['-p', 'Do it', '--model', 'x', '--allowedTools', 'Bash(ls:*)', 'Read', '--resume', 'id']);
    expect(plan).toMatchObject({ prompt: 'Do it', input: 'text', output: 'last', form: 'text', asksCaller: false });
    expect(plan.args).toEqual([...STEERED, '--model', 'x', '--allowedTools', 'Bash(ls:*)', 'Read', '--resume', 'id']);
    expect(planControl(['--print', '--model=x', '--', '-odd prompt'])).toMatchObject({ prompt: '-odd prompt' });
    // As for the program: what follows a list belongs to the list.
    expect(planControl(['-p', '--allowedTools', 'Read', 'Do it']).prompt).toBeUndefined();
  });

  it('knows what the person wants to see', () => {
    const lines = ['-p', '--output-format', 'stream-json', '--input-format', 'stream-json'];
    expect(planControl(lines)).toMatchObject({ input: 'lines', output: 'lines', asksCaller: false });
    expect(planControl([...lines, '--permission-prompt-tool', 'stdio'])).toMatchObject({ asksCaller: true });
    expect(planControl(['-p', 'x', '--output-format=json'])).toMatchObject({ form: 'json', needsAllLines: false });
    expect(planControl(['-p', 'x', '--output-format', 'json', '--verbose'])).toMatchObject({ needsAllLines: true });
  });

  it('refuses what cannot be steered, and does not guess', () => {
    for (const args of [['Do it'], ['-p', '--bg', 'x'], ['-p', 'x', '--permission-prompt-tool', 'mcp__a__b'], ['-v']])
      expect(() => planControl(args), args.join(' ')).toThrow(/cannot steer/);
    expect(() => planControl(['-p', '--brand-new', 'word'])).toThrow(/whether a value follows `--brand-new`/);
    expect(planControl(['-p', 'x', '--brand-new']).args).toContain('--brand-new');
  });
});
