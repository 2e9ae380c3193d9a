// Notifications to Telegram chats and webhooks, and answers from chats.
// Entry: `runTelegramBot`, `setUpTelegram`, `runWebhook`.
// May import: lib, core, redact, sessions, control, export, server.

export * from './messages/notification-lines.ts';
export * from './notification.ts';
export * from './run.ts';
export * from './tracker.ts';
