import { isatty } from 'node:tty';
import { createSharedScreen } from '../lib/screen.ts';
import { createSpillingWriter } from '../lib/spilling-writer.ts';
import { type EventOutput, openEvents, toTarget } from './event-output.ts';
import type { StreamOutcome, StreamRequest } from './shadow-request.ts';
import { startShadow } from './shadowing.ts';

const [STDOUT, STDERR] = [1, 2];

/** What comes in through stdin, as events; passed through where asked for. Whoever writes it never waits for whoever reads. */
export async function shadowInput(request: StreamRequest): Promise<StreamOutcome> {
  // Nobody reads any more: like any filter, we end, and whoever writes hears of it.
  const stop = (): void => void process.stdin.destroy();
  const events = openOutput(request, stop);
  const through = request.tee ? createSpillingWriter(STDOUT, { onClosed: stop }) : undefined;
  const isShared = isatty(STDOUT) && (request.tee || request.events === undefined);
  const screen = isShared ? undefined : createSharedScreen();
  const shadow = startShadow(request, (news) => events?.write(news), { screen });
  await new Promise<void>((resolve, reject) => {
    process.stdin.on('data', (chunk: Buffer) => {
      through?.write(chunk);
      shadow.push(chunk);
    });
    // A file has an end and is never closed; what is destroyed is closed and has no end.
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.stdin.once('error', reject);
  });
  const report = await shadow.end();
  await Promise.all([through?.end(), events?.end()]);
  return report;
}

/** The tree takes the place of the events where both would go to stderr. */
function openOutput({ events, tee, tree }: StreamRequest, onClosed: () => void): EventOutput | undefined {
  if (events !== undefined) return openEvents(toTarget(events));
  if (!tee) return openEvents(STDOUT, onClosed);
  return tree ? undefined : openEvents(STDERR);
}
