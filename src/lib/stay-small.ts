import v8 from 'node:v8';

/** A server, and an export, look for sessions as a command does that ends right after: what they are told first holds. */
let isSettled = false;

/**
 * For a process that sits beside the person's work, or takes long. By default V8 lets garbage pile up to three times of what is
 * alive before it looks: at a thousand lines a second that was 271 MB around 51 MB after a minute and a half, and is
 * 146 MB with this, for a tenth of a core more.
 */
export function staySmall(): void {
  isSettled = true;
  v8.setFlagsFromString('--heap-growing-percent=50');
  v8.setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For one who is waited for. Of an export of 100 MB by two threads: at 100 percent 309 to 352 MB, at 60 percent 287 to 293 MB and a
 * thirtieth more time. Issue 8 allows 350.
 */
export function stayWithinReason(): void {
  isSettled = true;
  v8.setFlagsFromString('--heap-growing-percent=75');
  v8.setFlagsFromString('--semi-space-growth-factor=2');
}

/**
 * For a process that reads, answers and ends. V8 compiles what runs often together with much of what it calls, on the cores that the
 * reading needs: of a database of 500 MB, read in 0.65 s, that was a quarter of all work; with less of it, reading takes 0.04 s less.
 * And it has its room for what is new grow faster, which is another 0.02 s. Of Node 20 only: later ones have a compiler in between.
 */
export function beBrief(): void {
  if (!isNode20 || isSettled) return;
  v8.setFlagsFromString('--max-inlined-bytecode-size-cumulative=230');
  v8.setFlagsFromString('--semi-space-growth-factor=4');
}

/**
 * For a process of seconds that keeps all cores busy. Each thread has V8 compile the same few hundred functions once more: a fifth of
 * all work of an export of 100 MB. With this, only what runs for long is compiled: a twentieth less work.
 */
export function compileLess(): void {
  // V8 12 has another flag for it, and says aloud that it does not know this one.
  if (!isNode20) return;
  v8.setFlagsFromString('--max-inlined-bytecode-size-cumulative=230');
  v8.setFlagsFromString('--interrupt-budget=540672');
}

const isNode20 = process.versions.v8.startsWith('11.');
