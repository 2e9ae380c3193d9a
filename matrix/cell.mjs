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
import { Sandbox } from './sandbox.mjs';
import { Troupe } from './troupe.mjs';
import { findUnplayed, truthOf } from './truth.mjs';

/**
 * @typedef {object} Play
 * @property {string} about one line for the table
 * @property {Record<string, object[]>} scripts what the model answers, by name; the words are in script.mjs
 * @property {(person: Person) => Promise<void>} [person] what the person does; default: one headless run of `main`
 * @property {string[]} [needs] abilities a host must have; `cannot` of the host gives the reason if it lacks one
 * @property {string[]} [hosts] only these hosts
 * @property {string} [since] only this version and later, of the hosts named
 * @property {string[]} [versions] only these versions
 */

const CHECKS = { tree: checkTree, live: checkLive, totals: checkTotals, stream: checkStream, export: checkExport };

/** @returns { color: 'green' | 'red' | 'grey', differences: [{ check, text }], ms } */
export async function runCell({ host, version, program, nodeFolder, name, play, keep }) {
  const started = Date.now();
  const reason = host.cannot?.(play, version);
  // With --keep, a grey cell is played as well: its recording shows what the host lacks.
  if (reason && !keep) return { color: 'grey', reason, differences: [], ms: 0 };
  const PATH = nodeFolder ? `${nodeFolder}${path.delimiter}${process.env.PATH}` : process.env.PATH;
  const sandbox = new Sandbox({ PATH });
  const node = nodeFolder ? path.join(nodeFolder, 'node') : process.execPath;
  const stage = { host, version, program, node, sandbox, play };
  try {
    const { differences, record } = await perform(stage);
    const color = reason ? 'grey' : differences.length === 0 ? 'green' : 'red';
    const recording = keep ? keepRecording({ keep, sandbox, host, version, name, record, differences }) : undefined;
    return { color, reason, differences, ms: Date.now() - started, recording };
  } finally {
    sandbox.remove();
  }
}

async function perform({ host, version, program, node, sandbox, play }) {
  const model = await startModel({ play, host, project: sandbox.project });
  const troupe = new Troupe(sandbox);
  const record = { log: model.run.log };
  let observer;
  let person;
  try {
    host.prepare?.(sandbox, version, model.url);
    observer = await observe(troupe);
    person = new Person({ host, version, program, node, sandbox, model, observer });
    await (play.person ?? ((one) => one.print('main')))(person);
    await observer.settled();
    record.states = observer.states;
    const collected = await collect(troupe);
    const truth = truthOf(person);
    play.expects?.(truth, { host, version });
    record.truth = truth;
    record.trees = collected.map(({ tree }) => tree);
    const unplayed = findUnplayed(person);
    if (unplayed.length > 0) return { record, differences: unplayed.map((text) => ({ check: 'played', text })) };
    const matches = matchSessions(truth, collected);
    const given = { truth, collected, matches, host, version, play, troupe, person, observer };
    const differences = [];
    for (const [check, find] of Object.entries(CHECKS))
      for (const text of await find(given)) differences.push({ check, text });
    return { record, differences };
  } catch (error) {
    record.states = observer?.states;
    return { record, differences: [{ check: 'played', text: error.message }] };
  } finally {
    await person?.close();
    await observer?.stop();
    model.close();
  }
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
