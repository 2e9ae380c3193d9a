import { bad, checkText, createFlood, type Entity, Refusal } from './rules.ts';

export interface ServerChat {
  readonly id: number;
  readonly isForum?: boolean;
  /** The bot is no admin who may manage topics. */
  readonly isTopicless?: boolean;
}

/** A message as a person sees it. */
export interface Shown {
  readonly id: number;
  readonly thread: number | undefined;
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Null: of a person, not of the bot. */
  readonly buttons: readonly { readonly text: string; readonly callback_data: string }[] | null;
  readonly isSilent: boolean;
  readonly file?: { readonly file: string; readonly bytes: Buffer };
  readonly isOurs: boolean;
  /** So often it was changed. */
  readonly edits: number;
}

type Fields = Readonly<Record<string, unknown>>;

interface Room {
  readonly isForum: boolean;
  readonly isTopicless: boolean;
  isBlocked: boolean;
  nextId: number;
  readonly messages: Map<number, Shown>;
  readonly topics: Map<number, string>;
}

export function createChats(known: readonly ServerChat[], clock: () => number) {
  const flood = createFlood(clock);
  /** Outside supergroups messages are numbered for the whole bot. */
  const common = { nextId: 1 };
  const rooms = new Map<number, Room>(
    known.map(({ id, isForum = false, isTopicless = false }) => [
      id,
      { isForum, isTopicless, isBlocked: false, nextId: 1, messages: new Map(), topics: new Map() },
    ]),
  );
  const roomOf = (fields: Fields): readonly [number, Room] => {
    const id = Number(fields['chat_id']);
    const room = rooms.get(id);
    if (!room) throw bad('chat not found');
    if (room.isBlocked) throw new Refusal(403, 'Forbidden: bot was blocked by the user');
    return [id, room];
  };
  const number = (chat: number, room: Room): number => (chat < -1e12 ? room.nextId++ : common.nextId++);
  const inTopic = (fields: Fields, room: Room): number | undefined => {
    const thread = fields['message_thread_id'] === undefined ? undefined : Number(fields['message_thread_id']);
    if (thread !== undefined && !room.topics.has(thread)) throw bad('message thread not found');
    return thread;
  };
  const buttonsOf = (fields: Fields): Shown['buttons'] => {
    const raw = fields['reply_markup'] as { inline_keyboard?: Shown['buttons'][] } | undefined;
    const rows = (raw?.inline_keyboard ?? []) as { text: string; callback_data: string }[][];
    for (const { callback_data: data } of rows.flat())
      if (Buffer.byteLength(data) > 64) throw bad('BUTTON_DATA_INVALID');
    return rows.flat();
  };
  /** As the real one: those behind the first hundred are forgotten, without a word. */
  const entitiesOf = (fields: Fields): readonly Entity[] =>
    ((fields['entities'] as Entity[] | undefined) ?? []).slice(0, 100);
  const put = (fields: Fields, text: string, file?: Shown['file']): object => {
    const [chat, room] = roomOf(fields);
    const thread = inTopic(fields, room);
    const buttons = buttonsOf(fields);
    flood.take(chat, true);
    const id = number(chat, room);
    const entities = entitiesOf(fields);
    const isSilent = fields['disable_notification'] === true;
    room.messages.set(id, {
      id,
      thread,
      text,
      entities,
      buttons,
      isSilent,
      isOurs: true,
      edits: 0,
      ...(file && { file }),
    });
    return { message_id: id, date: 1, chat: { id: chat }, text };
  };
  const change = (fields: Fields, text: string): object => {
    const [chat, room] = roomOf(fields);
    const message = room.messages.get(Number(fields['message_id']));
    if (!message) throw bad('message to edit not found');
    if (!message.isOurs) throw bad("message can't be edited");
    const entities = entitiesOf(fields);
    const next = { text, entities, buttons: buttonsOf(fields) };
    const same = { text: message.text, entities: message.entities, buttons: message.buttons };
    if (JSON.stringify(next) === JSON.stringify(same))
      throw bad(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      );
    flood.take(chat, false);
    room.messages.set(message.id, { ...message, ...next, edits: message.edits + 1 });
    return { message_id: message.id, date: 1, chat: { id: chat }, text };
  };

  const answer = (method: string, fields: Fields): unknown => {
    switch (method) {
      case 'getChat': {
        const [id, room] = roomOf(fields);
        return { id, type: id < 0 ? 'supergroup' : 'private', is_forum: room.isForum, title: `chat ${id}` };
      }
      case 'sendMessage':
        checkText(fields['text'], fields['entities'], 4096);
        return put(fields, fields['text']);
      case 'editMessageText':
        checkText(fields['text'], fields['entities'], 4096);
        return change(fields, fields['text']);
      case 'sendDocument': {
        checkText(fields['caption'], undefined, 1024);
        const file = Object.values(fields).find(
          (value): value is NonNullable<Shown['file']> =>
            typeof value === 'object' && value !== null && 'bytes' in value,
        );
        if (!file) throw bad('there is no document in the request');
        return put(fields, fields['caption'], file);
      }
      case 'editMessageCaption':
        checkText(fields['caption'], undefined, 1024);
        return change(fields, fields['caption']);
      case 'createForumTopic': {
        const [chat, room] = roomOf(fields);
        const name = String(fields['name'] ?? '');
        if (!room.isForum) throw bad('the chat is not a forum');
        if (room.isTopicless) throw bad('not enough rights to create a topic');
        if (name.trim() === '' || name.length > 128) throw bad('TOPIC_TITLE_EMPTY');
        flood.take(chat, true);
        const id = number(chat, room);
        room.topics.set(id, name);
        return { message_thread_id: id, name, icon_color: 1 };
      }
      case 'editForumTopic': {
        const [, room] = roomOf(fields);
        const id = Number(fields['message_thread_id']);
        if (!room.topics.has(id)) throw bad('TOPIC_ID_INVALID');
        if (room.topics.get(id) === fields['name']) throw bad('TOPIC_NOT_MODIFIED');
        room.topics.set(id, String(fields['name']));
        return true;
      }
      default:
        throw new Refusal(404, 'Not Found: method not found');
    }
  };
  return {
    answer,
    messages: (chat: number, thread?: number): readonly Shown[] =>
      [...(rooms.get(chat)?.messages.values() ?? [])].filter((one) => thread === undefined || one.thread === thread),
    topics: (chat: number): ReadonlyMap<number, string> => rooms.get(chat)?.topics ?? new Map(),
    deleteTopic(chat: number, topic: number): void {
      const room = rooms.get(chat);
      room?.topics.delete(topic);
      for (const { id, thread } of room?.messages.values() ?? []) if (thread === topic) room?.messages.delete(id);
    },
    block(chat: number): void {
      const room = rooms.get(chat);
      if (room) room.isBlocked = true;
    },
    receive(
      chat: number,
      user: { readonly id: number; readonly username?: string },
      text: string,
      thread?: number,
    ): object {
      const room = rooms.get(chat) ?? {
        isForum: false,
        isTopicless: false,
        isBlocked: false,
        nextId: 1,
        messages: new Map(),
        topics: new Map(),
      };
      const id = number(chat, room);
      room.messages.set(id, {
        id,
        thread,
        text,
        entities: [],
        buttons: null,
        isSilent: false,
        isOurs: false,
        edits: 0,
      });
      const topic = thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true };
      return {
        message_id: id,
        date: 1,
        chat: { id: chat },
        from: { is_bot: false, first_name: 'P', ...user },
        text,
        ...topic,
      };
    },
  };
}
