// Files that people keep: `opencode export`, the output of `opencode run --format json`, and recorded events of its server.

export type FileKind = 'export' | 'stream' | 'events';

const EXPORT = /^\s*\{\s*"info"\s*:\s*\{[^{}]*?"id"\s*:\s*"ses_/;
const STREAM = /^\{"type":"[a-z_]+","timestamp":\d+,"sessionID":"ses_/;
/** As the server sends them, with or without the time of the recording and the folder around them. */
const EVENTS =
  /^\{(?:"at":\d+,"data":\{)?(?:"directory":"[^"]*",)?(?:"project":"[^"]*",)?(?:"payload":\{)?(?:"id":"evt_[^"]*",)?"type":"(?:server|session|message|permission|plugin)\.[a-z.]+","properties":/;

/** By its first bytes. */
export function kindOf(head: Uint8Array): FileKind | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('utf8');
  if (EXPORT.test(text)) return 'export';
  if (STREAM.test(text)) return 'stream';
  return EVENTS.test(text) ? 'events' : undefined;
}
