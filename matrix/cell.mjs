// One cell of the matrix: one play on one version of a host, then all checks.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkExport } from './checks/export.mjs';
import { checkLive } from './checks/live.mjs';
import { checkStream } from './checks/stream.mjs';
import { checkTotals } from './checks/totals.mjs';
import { checkTree } from './checks/tree.mjs';
import { collect, matchSessions } from './collect.mjs';
import { startModel } from './model.mjs';
import { observe } from './observe.mjs';
import { Person } from './person.mjs';
import { PLAYS } from './plays.mjs';
import { Sandbox } from './sandbox.mjs';
import { Troupe } from './troupe.mjs';
import { findUnplayed, truthOf } from './truth.mjs';

/**
 * @typedef {object} Play
 * @property {string} about one line for the table
 * @property {Record<string, object[]>} scripts what the model answers, by name; the words are in script.mjs
 * @property {(person: Person) => Promise<void>} [person] what the person does; default: one headless run of `main`
 * @property {{ name: string, description: string, instructions: string }[]} [agents] types of agents that the person defines
 * @property {string[]} [needs] abilities a host must have; `cannot` of the host gives the reason if it lacks one
 * @property {string[]} [hosts] only these hosts
 * @property {string} [since] only this version and later, of the hosts named
 * @property {string[]} [versions] only these versions
 */

const CHECKS = { tree: checkTree, live: checkLive, totals: checkTotals, stream: checkStream, export: checkExport };

/** The slowest cells take a minute on a busy machine; one that takes longer than this hangs. */
const LONGEST_MS = 300_000;

/**
 * @returns { color: 'green' | 'red' | 'grey', differences: [{ check, text }], ms, recording? }; if grey, also `reason`, `evidence` (a
 * recording in the fixtures of the host, or OFFERS) and `isSkipped` (this machine lacks something, not the host)
 */
export async function runCell({ host, version, program, nodeFolder, name, play, keep, longestMs = LONGEST_MS }) {
  const started = Date.now();
  const grey = host.cannot?.(play, version);
  // With --keep, a grey cell is played as well: its recording shows what the host lacks.
  if (grey && (grey.isSkipped || !keep)) return { color: 'grey', ...grey, differences: [], ms: 0 };
  const PATH = nodeFolder ? `${nodeFolder}${path.delimiter}${process.env.PATH}` : process.env.PATH;
  const sandbox = new Sandbox({ PATH });
  const node = nodeFolder ? path.join(nodeFolder, 'node') : process.execPath;
  const record = { doing: 'starting' };
  const stage = { host, version, program, node, sandbox, play, record };
  try {
    const differences = await withinTime(perform(stage), longestMs, record);
    const color = grey ? 'grey' : differences.length === 0 ? 'green' : 'red';
    const recording = keep ? keepRecording({ keep, sandbox, host, version, name, record, differences }) : undefined;
    return { color, ...grey, differences, ms: Date.now() - started, recording, offers: record.offers };
  } finally {
    sandbox.remove();
  }
}

/** A cell that hangs is given up; the end of its sandbox ends what it waits for. */
async function withinTime(performance, longestMs, record) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => {
      const text = `The cell was ended after ${longestMs / 1000} s. It was ${record.doing}.`;
      resolve([{ check: 'played', text }]);
    }, longestMs);
  });
  return Promise.race([performance, late]).finally(() => clearTimeout(timer));
}

/** @returns differences; fills in the record, which is kept with them */
async function perform({ host, version, program, node, sandbox, play, record }) {
  const model = await startModel({ play, host, project: sandbox.project });
  sandbox.atEnd(() => model.close());
  const troupe = new Troupe(sandbox);
  record.log = model.run.log;
  let observer;
  let person;
  try {
    record.doing = 'starting the troupe server';
    host.prepare?.(sandbox, version, model.url);
    for (const agent of play.agents ?? []) defineAgent(sandbox, host, agent);
    observer = await observe(troupe);
    person = new Person({ host, version, program, node, sandbox, model, observer });
    record.states = observer.states;
    record.doing = 'playing';
    await (play.person ?? ((one) => one.print('main')))(person);
    await observer.settled();
    record.doing = 'reading the sessions with troupe';
    const collected = await collect(troupe);
    const truth = truthOf(person, play);
    play.expects?.(truth, { host, version });
    record.truth = truth;
    // One play is enough: the offers are the same in all.
    if (play === PLAYS.one) record.offers = { ...offersOf(model.run), options: await person.readOptions() };
    record.trees = collected.map(({ tree }) => tree);
    const unplayed = findUnplayed(person);
    if (unplayed.length > 0) return unplayed.map((text) => ({ check: 'played', text }));
    const matches = matchSessions(truth, collected);
    const given = { truth, collected, matches, host, version, play, troupe, person, observer };
    const differences = [];
    for (const [check, find] of Object.entries(CHECKS)) {
      record.doing = `checking: ${check}`;
      for (const text of await find(given)) differences.push({ check, text });
    }
    return differences;
  } catch (error) {
    return [{ check: 'played', text: error.message }];
  } finally {
    person?.close();
    await observer?.stop();
  }
}

/** The tools that the host offered to main agents and to sub-agents, as "name(parameters)". */
function offersOf(run) {
  const instances = [...run.instances.values()];
  const describeTool = ([name, properties]) => `${name}(${Object.keys(properties ?? {}).join(', ')})`;
  const namesOf = (list) => [...new Set(list.flatMap(({ tools }) => [...(tools ?? [])].map(describeTool)))].toSorted();
  return {
    mainTools: namesOf(instances.filter(({ session }) => session)),
    subAgentTools: namesOf(instances.filter(({ session, continues }) => !session && !continues)),
  };
}

/** Most hosts read Markdown with the fields in front. */
function defineAgent(sandbox, host, agent) {
  const { name, description, instructions } = agent;
  const fields = Object.entries({ name, description, ...host.agentFields });
  const text =
    host.agentText?.(agent) ??
    `---\n${fields.map(([key, value]) => `${key}: ${value}\n`).join('')}---\n${instructions}\n`;
  sandbox.write(host.agentFile(agent, sandbox), text);
}

/** Keeps what the host left, what it was answered, what troupe showed meanwhile and in the end. */
function keepRecording({ keep, sandbox, host, version, name, record, differences }) {
  const folder = path.join(keep, `${host.name}-${version}-${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const filter = (file) => !/\.(?:sock|key)$|\/(?:node_modules|\.cache|export-[^/]*)(?:\/|$)/.test(file);
  for (const part of ['home', 'out']) {
    try {
      cpSync(sandbox[part], path.join(folder, part), { recursive: true, filter, verbatimSymlinks: true });
    } catch (error) {
      record.notCopied = String(error);
    }
  }
  const lines = (list = []) => list.map((one) => `${JSON.stringify(one)}\n`).join('');
  writeFileSync(path.join(folder, 'model.jsonl'), lines(record.log));
  writeFileSync(path.join(folder, 'states.jsonl'), lines(record.states));
  const { truth, trees, notCopied } = record;
  const plain = truth?.map((one) => ({
    ...one,
    forkedFrom: one.forkedFrom?.asks,
    continuedFrom: one.continuedFrom?.asks,
  }));
  const result = { host: host.name, version, play: name, differences, truth: plain, trees, notCopied };
  writeFileSync(path.join(folder, 'result.json'), `${JSON.stringify(result, null, 2)}\n`);
  return folder;
}
