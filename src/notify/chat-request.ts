import type { Where } from '../sessions/index.ts';

export interface TelegramControl {
  /** Until the person has enough. */
  run(request: ChatRequest): Promise<void>;
  /** Finds the bot and the chat, and writes down which they are. */
  setup(): Promise<void>;
}

export interface ChatRequest {
  readonly where: Where;
}
