// When Claude Code wrote what: the schedule by which a recording is played. As observed with 2.1.325.

import { nativeId } from '../../core/index.ts';
import { asInstant, asObject } from '../../lib/json.ts';
import { MAX_DOCUMENT_BYTES, readText } from '../../lib/regular-file.ts';
import type { LocatedSession, LocatedSource, ReplayStep } from '../index.ts';
import { locate } from './locate.ts';
import { parseWhole, type RawRecord } from './record.ts';
import { createProcessRecord } from './replay-process.ts';
import { nativeAgentOf } from './sources.ts';
import { isTurnOver, type TimedLine, timeLines } from './timed-lines.ts';

export async function schedule(root: string): Promise<readonly ReplayStep[]> {
  const { sessions } = await locate(root);
  const steps = (await Promise.all(sessions.map(scheduleSession))).flat();
  // Sorting keeps the order of what has the same time.
  return steps.sort((a, b) => a.at - b.at);
}

async function scheduleSession({ id, sources }: LocatedSession): Promise<readonly ReplayStep[]> {
  const files = await Promise.all(sources.map(readSource));
  const ofRole = (role: string): readonly RecordedFile[] => files.filter((file) => file.role === role);
  const main = ofRole('session').map(({ name, text }) => ({ name, lines: timeLines(text) }));
  const linesOf = new Map(ofRole('agent').map(({ agent, text }) => [agent, timeLines(text)]));
  const times = [...main.map(({ lines }) => lines), ...linesOf.values()].flat().map(({ at }) => at);
  const from = times.filter(Number.isFinite).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const to = times.reduce((a, b) => Math.max(a, b), from);
  const process = await createProcessRecord(nativeId(id), main[0]?.lines ?? []);
  const sidecarOf = new Map(ofRole('sidecar').map((file) => [file.agent, file]));
  const steps: readonly ReplayStep[] = [
    { at: from, file: process.file, shape: 'document', text: process.text(false, from) },
    ...main.flatMap(({ name, lines }) => transcriptSteps(name, lines, process)),
    ...ofRole('agent').flatMap(({ agent, name }) => agentSteps(name, linesOf.get(agent) ?? [], sidecarOf.get(agent))),
    ...ofRole('sidecar').flatMap((file) => (linesOf.has(file.agent) ? [] : documentStep(file, from))),
    ...ofRole('journal').flatMap(({ name, text }) => transcriptSteps(name, timeJournal(text, linesOf))),
    ...ofRole('manifest').map((file) => documentStep(file, endOfWorkflow(file.text) ?? to)),
    { at: to, file: process.file, shape: 'gone', text: '' },
  ];
  return Number.isFinite(from) ? steps.map((step) => ({ ...step, at: Math.max(step.at, from) })) : [];
}

interface RecordedFile {
  /** Below the root. */
  readonly name: string;
  readonly role: string;
  readonly agent: string | undefined;
  readonly text: string;
}

async function readSource({ id, path, role }: LocatedSource): Promise<RecordedFile> {
  return { name: id, role, agent: nativeAgentOf(path), text: await readText(path, MAX_DOCUMENT_BYTES) };
}

/** A document that tells whether the agent of a transcript is at work. */
interface Companion {
  readonly file: string;
  text(isTurnOver: boolean, at: number): string;
}

function transcriptSteps(file: string, lines: readonly TimedLine[], companion?: Companion): readonly ReplayStep[] {
  let isOver = false;
  return lines.flatMap((line): readonly ReplayStep[] => {
    const wasOver = isOver;
    isOver = isTurnOver(line, wasOver);
    const step: ReplayStep = { at: line.at, file, shape: 'lines', text: line.text };
    if (!companion || companion.text(isOver, 0) === companion.text(wasOver, 0)) return [step];
    return [step, { at: line.at, file: companion.file, shape: 'document', text: companion.text(isOver, line.at) }];
  });
}

/** Set in the sidecar when the agent has ended by itself, and taken out again when it is woken (2.1.325). */
const FINISHED = ',"finished":true';

/** The sidecar comes just before the first line; that the agent has ended, it must not say before it has. */
function agentSteps(file: string, lines: readonly TimedLine[], sidecar?: RecordedFile): readonly ReplayStep[] {
  const [first, last] = [lines[0], lines.at(-1)];
  if (!sidecar || !first || !last) return transcriptSteps(file, lines);
  const atWork = sidecar.text.replace(FINISHED, '');
  const text = (isOver: boolean): string => (isOver ? sidecar.text : atWork);
  const steps = [
    documentStep({ ...sidecar, text: atWork }, first.at),
    ...transcriptSteps(file, lines, { file: sidecar.name, text }),
  ];
  const isWhole = steps.findLast((step) => step.file === sidecar.name)?.text === sidecar.text;
  return isWhole ? steps : [...steps, documentStep(sidecar, last.at)];
}

function documentStep({ name, text }: RecordedFile, at: number): ReplayStep {
  return { at, file: name, shape: 'document', text };
}

/** A journal has no times: its agents have. */
function timeJournal(
  text: string,
  linesOf: ReadonlyMap<string | undefined, readonly TimedLine[]>,
): readonly TimedLine[] {
  return timeLines(text, ({ type, agentId }: RawRecord) => {
    const lines = typeof agentId === 'string' ? linesOf.get(agentId) : undefined;
    return type === 'result' ? lines?.at(-1)?.at : lines?.[0]?.at;
  });
}

function endOfWorkflow(manifest: string): number | undefined {
  return asInstant(asObject(parseWhole(Buffer.from(manifest)))?.['timestamp']);
}
