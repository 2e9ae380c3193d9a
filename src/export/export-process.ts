// dist/export-process.js: makes one export or review for the server, in a process of its own; the order comes as a message. To look for secrets keeps a core busy for
// seconds, and takes memory; meanwhile hooks wait for the server, and agents for their hooks. The export goes to stdout;
// what a person has to do something about, to the server as a message.
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { UserError } from '../lib/user-error.ts';
import { runExport } from './run-export.ts';
import type { ExportOrder, ExportTrouble } from './served-export.ts';

/** The server is gone, or does not want it any more. */
const leave = (): void => process.exit(1);
process.once('disconnect', leave);
process.stdout.on('error', leave);

// Not as an argument: every user of this machine sees those.
const [order] = (await once(process, 'message')) as [ExportOrder];
await makeExport(order);
process.off('disconnect', leave);
process.disconnect?.();

async function makeExport({ where, session, as, pii, decided }: ExportOrder): Promise<void> {
  lowerPriority();
  const write = (text: string): Promise<void> => new Promise((resolve) => process.stdout.write(text, () => resolve()));
  try {
    await runExport({
      where,
      session,
      force: false,
      options: {
        formats: [as === 'page' ? 'html' : as === 'review' ? 'json' : as],
        isSingleFile: as === 'page',
        isCompact: false,
        withImages: false,
        redact: { pii, decided },
      },
      write,
      onProgress: () => {},
      ...(as === 'review' && {
        async approve(review) {
          await write(JSON.stringify(review));
          return undefined;
        },
      }),
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code, message, remedy } = error;
    const trouble: ExportTrouble = { code, message, remedy };
    await new Promise((resolve) => process.send?.(trouble, resolve));
    process.exitCode = 1;
  }
}

/** The person's agents go first. */
function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Where the system does not let us, it is only a matter of manners.
  }
}
