import v8 from 'node:v8';

/**
 * For a process that sits beside the person's work, or takes long. By default V8 lets garbage pile up to three times of what is
 * alive before it looks: at a thousand lines a second that was 271 MB around 51 MB after a minute and a half, and is
 * 146 MB with this, for a tenth of a core more. The export of a session of 100 MB: 469 and 287 MB, in the same time.
 */
export function staySmall(): void {
  v8.setFlagsFromString('--heap-growing-percent=50');
  v8.setFlagsFromString('--semi-space-growth-factor=1');
}
