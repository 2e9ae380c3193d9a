// dist/export-process.js ORDER: makes one export for the server, in a process of its own. To look for secrets keeps a core busy for
// seconds, and takes memory; meanwhile hooks wait for the server, and agents for their hooks. The export goes to stdout;
// what a person has to do something about, to the server as a message.
import { constants, setPriority } from 'node:os';
import { UserError } from '../lib/user-error.ts';
import { runExport } from './run-export.ts';
import type { ExportOrder, ExportTrouble } from './served-export.ts';

/** The server is gone, or does not want it any more. */
const leave = (): void => process.exit(1);
process.once('disconnect', leave);
process.stdout.on('error', leave);

await makeExport(JSON.parse(process.argv[2] ?? ''));
process.off('disconnect', leave);
process.disconnect?.();

async function makeExport({ where, session, as, pii }: ExportOrder): Promise<void> {
  lowerPriority();
  try {
    await runExport({
      where,
      session,
      force: false,
      options: {
        formats: [as === 'page' ? 'html' : as],
        isSingleFile: as === 'page',
        isCompact: false,
        withImages: false,
        redact: { pii },
      },
      write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
      onProgress: () => {},
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
