// `npm run bench`: every benchmark, one table each. Nothing here is part of the tests: these machines are shared.
import { ensureInstalled } from '../scripts/ensure-installed.mjs';

ensureInstalled();
const { benchRead, printRead } = await import('./read.mjs');
printRead(await benchRead({ runs: 10 }));
const { benchOpencode, printOpencode } = await import('./opencode.mjs');
printOpencode(await benchOpencode());
const { benchMemory, printMemory } = await import('./memory.mjs');
printMemory(benchMemory());
const { benchLive, printLive } = await import('./live.mjs');
printLive(await benchLive());
const { benchPage, printPage } = await import('./page.mjs');
printPage(await benchPage());
const { benchHook, printHook } = await import('./hook.mjs');
printHook(await benchHook());
const { benchRedact, printRedact } = await import('./redact.mjs');
printRedact(await benchRedact());
const { benchExport, printExport } = await import('./export.mjs');
printExport(benchExport());
const { benchStream, printStream } = await import('./stream.mjs');
printStream(await benchStream());
const { benchTelegram, printTelegram } = await import('./telegram.mjs');
printTelegram(await benchTelegram());
