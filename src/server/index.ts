// The background server: HTTP routes, server-sent events, hook intake, approvals.
// Entry: `createServerControl`; clients use `openFeed` and `createApprovalControl`.
// May import: lib, core, hosts, sessions, audit, guard, control, export, hook.

export { type ApprovalSecret, readApprovalKey, signApproval } from '../guard/index.ts';
export { ALARM_REMEDY } from './approval-proof.ts';
export * from './call-broker.ts';
export * from './control.ts';
export * from './follow.ts';
export * from './request-server.ts';
export * from './serve.ts';
export * from './served-feed.ts';
export * from './server-control.ts';
