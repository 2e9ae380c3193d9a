// What troupe shows after a play: every session with its tree, its export and the marks of its agents.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const MARK = /\(script: ([\w-]+#\d+)\)/g;

/** @returns { sessions: [{ id, tree, marks, pages, exportProblem }] }, newest first */
export async function collect(troupe) {
  const { sessions } = await troupe.json(['ls', '-n', '200']);
  const collected = [];
  for (const { id } of sessions) {
    const tree = await troupe.json(['tree', id]);
    const exported = await exportSession(troupe, id);
    collected.push({ id, tree, ...exported, marks: exported.document ? marksOf(exported.document) : new Map() });
  }
  return collected;
}

async function exportSession(troupe, id) {
  const folder = path.join(troupe.sandbox.out, `export-${id}`);
  const { code, stderr } = await troupe.run(['export', id, '--out-dir', folder, '--format', 'html,json', '--yes']);
  if (code !== 0) return { exportProblem: `troupe export failed (exit code ${code}): ${stderr.trim()}`, pages: [] };
  const document = JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8'));
  return { document, pages: readdirSync(folder).filter((name) => name.endsWith('.html')) };
}

/** By agent id, the marks of the prompts that it got. */
function marksOf(document) {
  const marks = new Map();
  const visit = (transcript) => {
    const told = transcript.messages.filter(({ role }) => role !== 'assistant').flatMap(({ content }) => content);
    const text = told.map((block) => (block.type === 'tool_result' ? '' : (block.text ?? ''))).join('\n');
    marks.set(transcript.session_id, new Set([...text.matchAll(MARK)].map((match) => match[1])));
    for (const child of transcript.sub_agents ?? []) visit(child);
  };
  visit(document);
  return marks;
}

/**
 * Finds the session of troupe for each session of the truth. A copy of a session holds the prompts of its original
 * too, so the newest are matched first: their own prompts are in no older session.
 */
export function matchSessions(truth, collected) {
  const taken = new Set();
  const matches = new Map();
  for (const expected of truth.toReversed()) {
    const own = expected.asks.at(-1);
    const found = collected.find(
      ({ id, marks }) => !taken.has(id) && (expected.id ? id === expected.id : marks.get(id)?.has(own)),
    );
    if (!found) continue;
    taken.add(found.id);
    matches.set(expected, found);
  }
  return matches;
}

/** The agent of troupe for one of the truth: by its prompt, else by its unique description. */
export function matchAgent(expected, { id, tree, marks }) {
  if (expected.kind === 'main') return tree.agents.find((agent) => agent.id === id);
  const byPrompt = tree.agents.find((agent) => agent.id !== id && marks.get(agent.id)?.has(expected.key));
  return byPrompt ?? tree.agents.find(({ description }) => description === expected.description);
}
