// The tools of Claude Code, as far as they make, wake or stop agents, and one line for what a call does.

import { asText, type JsonObject } from '../../lib/json.ts';
import { toSummary } from '../shared/index.ts';

/** `Task` up to 2.1.62, `Agent` from 2.1.63; models mix them up, so both spawn in every version. */
export const isSpawning = (tool: string | undefined): boolean => tool === 'Task' || tool === 'Agent';
export const isMessaging = (tool: string | undefined): boolean => tool === 'SendMessage';
export const isStopping = (tool: string | undefined): boolean => tool === 'TaskStop' || tool === 'KillTask';
export const isWorkflow = (tool: string | undefined): boolean => tool === 'Workflow';
/** Its results are what a command wrote. */
export const isShell = (tool: string | undefined): boolean => tool === 'Bash';

/** Calls whose results say something about agents. */
export function concernsAgents(tool: string): boolean {
  return isSpawning(tool) || isMessaging(tool) || isStopping(tool) || isWorkflow(tool);
}

/** Which input says most about a call, by tool; tools of MCP servers and new ones fall through to any text they have. */
const SUBJECT_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Bash: ['command'],
    Read: ['file_path'],
    Write: ['file_path'],
    Edit: ['file_path'],
    MultiEdit: ['file_path'],
    NotebookEdit: ['notebook_path'],
    Grep: ['pattern'],
    Glob: ['pattern'],
    LS: ['path'],
    WebFetch: ['url'],
    WebSearch: ['query'],
    Task: ['description', 'prompt'],
    Agent: ['description', 'prompt'],
    SendMessage: ['summary', 'message'],
    Skill: ['skill', 'command'],
    Workflow: ['name', 'scriptPath', 'script'],
    TaskStop: ['task_id'],
    TaskCreate: ['subject'],
    TaskUpdate: ['taskId'],
  }),
);

/** Tools that write a file, and the input that names it. What a command in a shell writes, nobody says. */
const WRITING: ReadonlyMap<string, string> = new Map([
  ['Write', 'file_path'],
  ['Edit', 'file_path'],
  ['MultiEdit', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
]);

export function fileWrittenBy(tool: string, input: JsonObject | undefined): string | undefined {
  const key = WRITING.get(tool);
  return key === undefined ? undefined : asText(input?.[key]);
}

/** One line of what a call is about. */
export function summarise(tool: string, input: JsonObject | undefined): string | undefined {
  return toSummary(subjectOf(tool, input));
}

/** What a call is about: the input that says most. */
export function subjectOf(tool: string, input: JsonObject | undefined): string | undefined {
  if (!input) return undefined;
  const keys = SUBJECT_FIELDS.get(tool) ?? Object.keys(input);
  return keys.map((key) => asText(input[key])).find((text) => text !== undefined && text.trim() !== '');
}
