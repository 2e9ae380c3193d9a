// `troupe watch`: the live tree in the terminal, or plain lines without one.
// Entry: `watch`.
// May import: lib, core, sessions, notify, cli/format, server.

export * from './review-screen.ts';
export * from './watch.ts';
