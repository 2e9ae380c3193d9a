import { cutAt } from '../messages/quote.ts';
import { type Piece, type RichText, rich, splitRich } from '../messages/rich-text.ts';
import { type BotApi, LONGEST_MESSAGE, LONGEST_TOPIC_NAME, MOST_MARKS } from './bot-api.ts';

/**
 * The same, but what is sent has no credentials in it: commands and results of agents do. What a person is to say yes to stays as it
 * is, as long as it can be answered: nobody should allow what they cannot see.
 */
export function maskedApi(api: BotApi, mask: (text: string) => string): BotApi {
  const masked = (text: RichText): RichText => maskRich(text, mask);
  const maskName = (name: string): string => cutAt(mask(name), LONGEST_TOPIC_NAME);
  return {
    ...api,
    send: (message) => api.send(message.buttons ? message : { ...message, text: masked(message.text) }),
    edit: (place, text, buttons) => api.edit(place, buttons ? text : masked(text), buttons),
    createTopic: (chat, name) => api.createTopic(chat, maskName(name)),
    renameTopic: (chat, topic, name) => api.renameTopic(chat, topic, maskName(name)),
  };
}

/** Piece by piece: the marks stay where they belong. */
function maskRich(text: RichText, mask: (text: string) => string): RichText {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { kind, from, length } of text.marks) {
    const foreign = mask(text.text.slice(from, from + length));
    pieces.push(mask(text.text.slice(at, from)), kind === 'code' ? { code: foreign } : { pre: foreign });
    at = from + length;
  }
  const whole = rich(...pieces, mask(text.text.slice(at)));
  return splitRich(whole, LONGEST_MESSAGE, MOST_MARKS)[0] ?? text;
}
