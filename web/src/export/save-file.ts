import type { ExportedFile } from '../backend.ts';

/** Long enough for any browser to have taken it. */
const TAKEN_MS = 60_000;

/** Into the folder where the browser saves files, or where the person tells it to. */
export function saveFile({ name, content }: ExportedFile): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), TAKEN_MS);
}
