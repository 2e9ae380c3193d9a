// Finds, reads, follows and joins sessions; reads transcripts and settings; turns program output into events.
// Entry: `createSessions`, `createTranscripts`, `createSessionTranscripts`; live: `startTracker`, `createLive`.
// May import: lib, core, redact, hosts.

export * from './find-sessions.ts';
export { mayBeCopy } from './follow-session.ts';
export * from './identify.ts';
export * from './live-feed.ts';
export * from './places.ts';
export * from './play-recording.ts';
export * from './read-session.ts';
export * from './read-transcript.ts';
export * from './session-cache.ts';
export * from './session-records.ts';
export * from './session-transcripts.ts';
export * from './sessions.ts';
export * from './settings.ts';
export * from './stream/shadow.ts';
export * from './stream/shadowed-session.ts';
export * from './stream/stream-event.ts';
export * from './tracker.ts';
export * from './transcripts.ts';
export * from './watch-session.ts';
