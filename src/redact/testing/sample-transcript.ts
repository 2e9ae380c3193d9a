import type { Transcript } from '../../core/index.ts';

/** Every kind of block and every field that may hold a text. */
export function sampleTranscript(): Transcript {
  return {
    session_id: 'session-1',
    parent_session_id: null,
    agent: 'claude',
    model: 'model-1',
    title: 'Look at the settings',
    created_at: '2026-11-15T08:00:00.000Z',
    updated_at: '2026-11-15T08:01:00.000Z',
    author: { name: 'Jane Roe', email: 'jane@roe.invalid' },
    usage: { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 },
    diff_stats: { added: 1, removed: 0, files: [{ path: 'src/a.ts', added: 1, removed: 0 }] },
    known_from: 'transcript',
    left_out: { 'strange-record': 2 },
    messages: [
      { id: 'm1', role: 'user', timestamp: null, model: null, content: [{ type: 'text', text: 'Please look.' }] },
      {
        id: 'm2',
        role: 'assistant',
        timestamp: '2026-11-15T08:00:01.000Z',
        model: 'model-1',
        content: [
          { type: 'thinking', text: 'What is it?' },
          {
            type: 'tool_use',
            tool_use_id: 'call-1',
            name: 'Bash',
            input: { command: 'cat a', list: ['one', 'two'], nested: { deep: [{ text: 'three' }] } },
            summary: 'cat a',
            sub_agent_ref: { agent_id: 'agent-2', agent_name: 'Ann', agent_type: 'Explore', team_name: 'team' },
          },
          {
            type: 'tool_result',
            tool_use_id: 'call-1',
            text: 'done',
            is_error: false,
            media: [{ type: 'image', media_type: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==', bytes: 16 }],
            changes: [{ path: 'src/a.ts', added: 1, removed: 0 }],
          },
          { type: 'notice', kind: 'background', title: 'It ended', text: 'It ended well', agent_id: 'agent-2' },
          { type: 'summary', text: 'So far' },
          { type: 'attachment', media_type: 'application/pdf', name: 'a.pdf', bytes: 10 },
        ],
      },
    ],
    sub_agents: [],
  };
}
