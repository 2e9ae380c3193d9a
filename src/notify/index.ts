export * from './messages/notification-lines.ts';
export * from './notification.ts';
export * from './run.ts';
export * from './tracker.ts';
