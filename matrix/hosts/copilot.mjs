// Copilot CLI, with a model provider of one's own: it needs no login.
import path from 'node:path';
import { findLack, jsonLines, OFFERS, slugOf } from './host-texts.mjs';

const TYPES = { general: 'general-purpose', explore: 'explore' };

export const copilot = {
  name: 'copilot',
  title: 'Copilot CLI',
  package: '@github/copilot',
  versions: ['1.0.102'],
  program: 'copilot',

  environment: (url) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: 'scripted',
    COPILOT_MODEL: 'fake-1',
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
  }),

  // Every call is approved, so plays must stay inside the project.
  printArgs: (prompt, { resume, latest } = {}) => [
    ...['-p', prompt, '--allow-all-tools', '--output-format', 'json', '--log-level', 'error'],
    ...(latest ? ['--continue'] : resume ? [`--resume=${resume}`] : []),
  ],

  agentFile: ({ name }, { project }) => path.join(project, `.github/agents/${name}.agent.md`),

  sessionId: (stdout) => jsonLines(stdout).findLast(({ sessionId }) => sessionId)?.sessionId,

  /** Of agents in the background. */
  agentIds: (text) => [...text.matchAll(/agent_id: ([\w-]+)/g)].map((match) => match[1]),

  call(item, { agents, project }) {
    const file = (name) => path.join(project, name);
    switch (item.do) {
      case 'shell':
        return { name: 'bash', input: { command: item.command, description: 'Run a command' } };
      case 'read':
        return { name: 'view', input: { path: file(item.path) } };
      case 'write':
        return { name: 'create', input: { path: file(item.path), file_text: item.content } };
      case 'spawn': {
        const { description, prompt, type = 'general', background } = item;
        const mode = background ? 'background' : 'sync';
        const input = { name: slugOf(description), description, agent_type: TYPES[type] ?? type, prompt, mode };
        return { name: 'task', input };
      }
      case 'message':
        return { name: 'write_agent', input: { agent_id: agents.at(-1), message: item.prompt } };
    }
    throw new Error(`Copilot CLI has no tool for "${item.do}".`);
  },

  label: ({ description }) => slugOf(description),

  cannot: (play) => findLack(play, LACKS),
};

const LACKS = {
  fork: { reason: 'There is no option that forks a session.', evidence: OFFERS },
  stop: { reason: 'There is no tool that stops a sub-agent.', evidence: OFFERS },
  message: {
    reason: '`write_agent` reaches agents in the background only, and this one runs in the foreground.',
    evidence: '1.0.102-talk',
  },
};
