// Every string of a JSON value or a transcript, in order.

import type { ImageBlock, MediaBlock, Transcript, TranscriptBlock, TranscriptMessage } from '../core/index.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import { fieldBelow, type Place } from './finding.ts';
import { isSecretField, nameOfFieldIn } from './secret-names.ts';
import { isStandIn, looksSecret } from './value-looks.ts';

/** What is done with the texts of a value; each answers what stands in its place. */
export interface StringHandler {
  /** Where a text stands does not matter to it; said of millions of them, that is a tenth of the time. */
  readonly isPlaceless?: boolean;
  readonly text: (text: string, place: Place) => string;
  /** Texts that follow each other: a key may stand across several. */
  readonly lines: (texts: readonly string[], place: Place) => readonly string[];
  /** All of it is secret: its field says so. */
  readonly secret: (text: string, place: Place) => string;
  /** Something was left out that lies too deep: nobody has seen what it holds. */
  readonly onDeeper?: () => void;
}

/** Deeper values do not come out of JSON that anybody wrote; whatever lies there is left out. */
const MAX_DEPTH = 200;

/** The value with every string of it handled, names of fields too. Other values stay; of nothing else is anything made. */
export function walkStrings(value: unknown, place: Place, handler: StringHandler): unknown {
  return new StringWalk(handler).walk(value, place, 0, false);
}

class StringWalk {
  readonly #handler: StringHandler;

  constructor(handler: StringHandler) {
    this.#handler = handler;
  }

  walk(value: unknown, place: Place, depth: number, isSecret: boolean): unknown {
    const handler = this.#handler;
    if (typeof value === 'string')
      return isSecret && looksSecret(value, true) ? handler.secret(value, place) : handler.text(value, place);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_DEPTH) {
      handler.onDeeper?.();
      return '[deeper levels left out]';
    }
    if (Array.isArray(value)) return this.#walkArray(value, place, depth, isSecret);
    return isObject(value) ? this.#walkObject(value, place, depth, isSecret) : null;
  }

  #walkArray(values: readonly unknown[], place: Place, depth: number, isSecret: boolean): readonly unknown[] {
    if (values.length > 1 && !isSecret && values.every((value) => typeof value === 'string'))
      return this.#handler.lines(values, place);
    return mapped(values, (value, index) => this.walk(value, this.#below(place, index), depth + 1, isSecret));
  }

  /** The very same object where nothing in it became another: nearly all of them are. */
  #walkObject(value: JsonObject, place: Place, depth: number, isSecret: boolean): unknown {
    const here = this.#handler.isPlaceless ? place : placeWithin(value, place);
    let kept: Map<string, unknown> | undefined;
    const names = Object.keys(value);
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      const field = value[name];
      const there = this.#below(here, name);
      const shown = this.#handler.text(name, there);
      const changed = isSecretSummary(name, value)
        ? this.#handler.secret(field as string, there)
        : this.#walkField(nameOfFieldIn(value, name), field, there, depth, isSecret);
      if (!kept && (shown !== name || changed !== field))
        kept = new Map(names.slice(0, index).map((before) => [before, value[before]]));
      if (kept) kept.set(freeName(shown, kept), changed);
    }
    return kept ? Object.fromEntries(kept) : value;
  }

  #walkField(name: string, value: unknown, place: Place, depth: number, isSecret: boolean): unknown {
    if (!isSecretField(name, value)) return this.walk(value, place, depth + 1, isSecret);
    if (typeof value === 'number') return this.#handler.secret(String(value), place);
    if (typeof value === 'string')
      return isStandIn(value) ? this.#handler.text(value, place) : this.#handler.secret(value, place);
    if (Array.isArray(value))
      return mapped(value, (each, index) => {
        const there = this.#below(place, index);
        return typeof each === 'string' && !isStandIn(each)
          ? this.#handler.secret(each, there)
          : this.walk(each, there, depth + 2, true);
      });
    return this.walk(value, place, depth + 1, true);
  }

  #below(place: Place, name: string | number): Place {
    return this.#handler.isPlaceless ? place : fieldBelow(place, name);
  }
}

/** Of a tool that nobody knows, the summary of a call is the first text of its input: a secret has no name there. */
function isSecretSummary(name: string, { summary, input }: JsonObject): boolean {
  if (name !== 'summary' || typeof summary !== 'string' || summary.length < 4 || !isObject(input)) return false;
  const shown = summary.replace(/…$/, '');
  return Object.entries(input).some(
    ([key, said]) =>
      typeof said === 'string' &&
      said.startsWith(shown) &&
      isSecretField(nameOfFieldIn(input, key), said) &&
      !isStandIn(said),
  );
}

/** The very same list where nothing became another. */
function mapped<Value>(values: readonly Value[], change: (value: Value, index: number) => Value): readonly Value[] {
  let result: Value[] | undefined;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as Value;
    const changed = change(value, index);
    if (result) result.push(changed);
    else if (changed !== value) result = [...values.slice(0, index), changed];
  }
  return result ?? values;
}

/** Conversations and messages say themselves where one is. */
function placeWithin(value: JsonObject, place: Place): Place {
  const { session_id: agent, messages, id, role, content } = value;
  if (typeof agent === 'string' && Array.isArray(messages)) return { agent, message: null, field: undefined };
  if (typeof id === 'string' && typeof role === 'string' && Array.isArray(content))
    return { agent: place.agent, message: id, field: undefined };
  return place;
}

/** Two names that became the same are kept apart: nothing gets lost. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(name)) return name;
  for (let count = 2; ; count++) if (!taken.has(`${name} (${count})`)) return `${name} (${count})`;
}

/** A transcript, or the messages of one that is not known yet. */
export interface Conversation {
  readonly session_id?: string;
  readonly messages: readonly TranscriptMessage[];
}

/** What is done with a message; `walkOn` handles its texts. Answers what stands in its place. */
type OnMessage = (message: TranscriptMessage, index: number, walkOn: () => TranscriptMessage) => TranscriptMessage;

const NO_MESSAGES: readonly never[] = [];

/** As `walkStrings`, message by message; all else comes first. */
export function walkConversation<Talk extends Conversation>(
  conversation: Talk,
  handler: StringHandler,
  onMessage: OnMessage,
): Talk {
  const place = { agent: conversation.session_id ?? null, message: null, field: undefined };
  const head = walkStrings({ ...conversation, messages: NO_MESSAGES }, place, handler) as Talk;
  const messages = mapped(conversation.messages, (message, index) =>
    onMessage(message, index, () => walkStrings(message, place, handler) as TranscriptMessage),
  );
  return { ...head, messages };
}

/** Without what only the tree knows: which agents a call made, and whom a notice is about. */
export function bareMessage(message: TranscriptMessage): TranscriptMessage {
  return isBare(message) ? message : { ...message, content: message.content.map(bareBlock) };
}

export function isBare({ content }: TranscriptMessage): boolean {
  for (const block of content) if (!isBareBlock(block)) return false;
  return true;
}

function isBareBlock(block: TranscriptBlock): boolean {
  return block.type === 'notice' ? block.agent_id === null : !('sub_agent_ref' in block);
}

function bareBlock(block: TranscriptBlock): TranscriptBlock {
  if (block.type === 'notice') return { ...block, agent_id: null };
  if (block.type !== 'tool_use') return block;
  const { sub_agent_ref: _made, sub_agent_refs: _allMade, ...bare } = block;
  return bare;
}

/** The transcript and all below it without the bytes of images: nobody can look for secrets in a picture. Sizes stay. */
export function dropImages<Talk extends Pick<Transcript, 'messages'> & Partial<Pick<Transcript, 'sub_agents'>>>(
  transcript: Talk,
): Talk {
  const { messages, sub_agents: below } = transcript;
  return {
    ...transcript,
    messages: mapped(messages, withoutImages),
    ...(below && { sub_agents: below.map((one) => dropImages(one)) }),
  };
}

function withoutImages(message: TranscriptMessage): TranscriptMessage {
  const content = mapped(message.content, withoutBytes);
  return content === message.content ? message : { ...message, content };
}

function withoutBytes(block: TranscriptBlock): TranscriptBlock {
  if (block.type === 'image') return emptied(block);
  if (block.type !== 'tool_result' || block.media === undefined) return block;
  return { ...block, media: block.media.map((media): MediaBlock => (media.type === 'image' ? emptied(media) : media)) };
}

const emptied = (image: ImageBlock): ImageBlock => ({ ...image, data: null });
