import v8 from 'node:v8';

/**
 * For a process that sits beside the person's work, or takes long. By default V8 lets garbage pile up to three times of what is
 * alive before it looks: at a thousand lines a second that was 271 MB around 51 MB after a minute and a half, and is
 * 146 MB with this, for a tenth of a core more.
 */
export function staySmall(): void {
  v8.setFlagsFromString('--heap-growing-percent=50');
  v8.setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For one who is waited for. Of an export of 100 MB by two threads: at 100 percent 309 to 352 MB, at 60 percent 287 to 293 MB and a
 * thirtieth more time. Issue 8 allows 350.
 */
export function stayWithinReason(): void {
  v8.setFlagsFromString('--heap-growing-percent=75');
  v8.setFlagsFromString('--semi-space-growth-factor=2');
}
