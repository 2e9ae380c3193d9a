// The scripted model: one server on loopback that speaks the APIs of all hosts and answers from a play.
import http from 'node:http';
import { ScriptRun } from './script-run.mjs';
import { anthropic } from './wire/anthropic.mjs';
import { gemini } from './wire/gemini.mjs';
import { openaiChat } from './wire/openai-chat.mjs';
import { openaiResponses } from './wire/openai-responses.mjs';

const WIRES = [anthropic, openaiChat, openaiResponses, gemini];

/** Requests for a summary of the conversation. They offer tools, but no agent's script answers them. */
const SUMMARY = /create a detailed summary|[Ss]ummarize (?:the|our|this) conversation|continuation summary/;

/** @returns { url, run, close }; `run` is the record of everything the host asked for */
export async function startModel({ play, host, project }) {
  const run = new ScriptRun(play, host);
  const server = http.createServer((request, response) => {
    answer({ run, host, project, request, response }).catch((error) => {
      run.log.push({ at: Date.now(), problem: error.message, url: request.url });
      // Hosts repeat a request whose connection breaks, but not one that is refused.
      if (response.headersSent) response.destroy();
      else response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"not playable"}}');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    run,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer({ run, host, project, request, response }) {
  const body = await readBody(request);
  const wire = WIRES.find((one) => request.method === 'POST' && one.path.test(request.url));
  if (!wire) return sendOther(request, response);
  const asked = wire.read(body, request);
  const ids = wire.ids?.(request.headers, asked) ?? {};
  const summarised = isSummary(asked.messages) ? run.find(asked.messages) : null;
  const isScripted = asked.tools.size > 0 && !isSummary(asked.messages);
  if (summarised) run.noteSummary(summarised);
  const found = isScripted ? (run.findNext(asked.messages) ?? run.findAgent(ids.agent)) : null;
  const turn = found?.instance.turns[found.index];
  const entry = run.reach(found ? { ...found, ids } : { hidden: asked.purpose ?? 'no script', ids });
  // The result of an agent from before `/clear` wakes a main agent that has no prompt yet.
  if (isScripted && !found && !ids.agent) entry.wakes = ids.session;
  if (found) found.instance.tools = asked.tools;
  if (summarised) entry.summarises = summarised.instance.key;
  if (asked.hostCalls > 0) entry.hostCalls = asked.hostCalls;
  const closed = closing(response);
  if (turn?.hold) await Promise.race([run.untilReleased(turn.hold), closed]);
  if (response.destroyed) return run.finish(entry, 'aborted');
  const timesAsked = run.log.filter(({ key, index }) => key === entry.key && index === entry.index).length;
  if (turn?.overloaded >= timesAsked) {
    wire.sendError(response, { status: 529, message: 'Overloaded', type: 'overloaded_error' });
    return run.finish(entry, 'overloaded');
  }
  if (turn?.error) {
    wire.sendError(response, turn.error);
    return run.finish(entry, 'failed');
  }
  const blocks = found
    ? blocksOf({ run, host, project, asked, ...found, turn })
    : // A summary keeps the mark: what follows it still belongs to the script.
      [{ text: summarised ? `ok ${summarised.instance.mark}` : (asked.fixedAnswer ?? 'ok') }];
  entry.calls = blocks.filter(({ name }) => name !== undefined).length;
  // After a compaction, the turn is asked for again.
  const usage = wire.usage(entry.output, timesAsked === 1 ? turn?.context : undefined);
  const sent = wire.send(response, body, { blocks, usage, asked, hang: turn?.hang === true, closed });
  // A hanging answer ends with its connection. The host got the beginning, and may count it (2.1.328): at most this.
  if (turn?.hang) return sent.then(() => run.finish(Object.assign(entry, { begun: usage }), 'aborted'));
  await sent;
  run.finish(entry, response.destroyed && !response.writableFinished ? 'aborted' : 'served', usage);
}

function blocksOf({ run, host, project, asked, instance, index, turn }) {
  if (!turn) return host.endOf?.(asked.tools, 'ok') ?? [{ text: 'ok' }];
  const seen = host.agentIds?.(JSON.stringify(asked.conversation)) ?? [];
  const items = turn.items.filter((item) => item.do !== 'tool' || asked.tools.has(item.name));
  const blocks = items.map((item) => {
    if (item.do === 'say') return { text: item.text };
    if (item.do === 'think') return { thinking: item.text };
    if (item.do === 'tool') return fitToTool({ name: item.name, input: item.input }, asked.tools);
    const ready = prepare(run, instance, index, item);
    const { tools, conversation } = asked;
    return fitToTool(host.call(ready, { tools, agents: seen, project, conversation }), tools);
  });
  const speaks = blocks.every(({ name }) => name === undefined);
  return (speaks && host.endOf?.(asked.tools, blocks.map(({ text }) => text ?? '').join('\n'))) || blocks;
}

/** Gives the instances that an item starts their numbers. A request that the host repeats gets the same ones. */
function prepare(run, instance, index, item) {
  if (item.do === 'stop') {
    const target = lastSpawn(run, instance);
    if (target) noteStopped(run, target);
    return item;
  }
  if (item.do !== 'spawn' && item.do !== 'message') return item;
  const position = `${index}.${instance.turns[index].items.indexOf(item)}`;
  const known = [...run.instances.values()].find((one) => one.madeBy === instance.key && one.position === position);
  const made = known ?? startMade(run, instance, position, item);
  made.prompt = `${item.do === 'spawn' ? item.description : 'Go on'}. ${made.mark}`;
  return { ...item, description: made.description, prompt: made.prompt };
}

/** Its own sub-agents end with it if it waits for them. */
function noteStopped(run, instance) {
  instance.stopped = true;
  for (const other of run.instances.values())
    if (other.parent === instance.key && !other.item.background) noteStopped(run, other);
}

function startMade(run, instance, position, item) {
  const origin = { madeBy: instance.key, position };
  if (item.do === 'message') {
    const target = lastSpawn(run, instance, item.to);
    return run.start(item.script, { ...origin, continues: target?.key, refused: item.refused });
  }
  const made = run.start(item.script, { ...origin, parent: run.agentOf(instance.key).key, item });
  made.description = `${item.description} ${made.number}`;
  return made;
}

/** A fork knows the sub-agents of its original, and a teammate all others of its team. */
function lastSpawn(run, instance, name) {
  const parents = [run.agentOf(instance.key).key];
  for (let { session } = instance; session?.forkedFrom; session = session.forkedFrom)
    parents.push(session.forkedFrom.asks[0]);
  const spawned = [...run.instances.values()].filter(({ item }) => item);
  return spawned.findLast(({ item, parent }) => (name === undefined ? parents.includes(parent) : item.name === name));
}

/** Leaves out properties that the offered tool does not have: some versions reject unknown ones. */
function fitToTool(block, tools) {
  const properties = tools.get(block.name);
  if (!properties) return block;
  const input = Object.fromEntries(
    Object.entries(block.input).filter(([key, value]) => key in properties && value !== undefined),
  );
  return { ...block, input };
}

const isSummary = (messages) => SUMMARY.test(messages.findLast(({ role }) => role === 'user')?.text ?? '');

const closing = (response) => new Promise((resolve) => response.on('close', resolve));

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
  } catch {
    return {};
  }
}

function sendOther(request, response) {
  const isList = request.method === 'GET' && request.url.includes('/models');
  const isCount = /count_?tokens/i.test(request.url);
  const body = isList
    ? { object: 'list', data: [{ id: 'fake-1', object: 'model' }], models: [] }
    : isCount
      ? { input_tokens: 100, totalTokens: 100 }
      : { error: { message: 'not part of the play' } };
  response.writeHead(isList || isCount ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
