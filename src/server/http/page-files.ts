import { contentPolicy } from './security-headers.ts';

/** One file of the page, in memory: no address ever becomes a path of the file system. */
export interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** By address: `/`, `/assets/index-….js`, … */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** Nothing but what the server itself sends: no inline script or style, nothing from elsewhere. */
const POLICY = contentPolicy("script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'");

export function headersOf(address: string, { type }: PageFile): Readonly<Record<string, string>> {
  // The names of built files change with their contents.
  const keeps = address.startsWith('/assets/') ? { 'Cache-Control': 'private, max-age=31536000, immutable' } : {};
  return { 'Content-Type': type, 'Content-Security-Policy': POLICY, ...keeps };
}
