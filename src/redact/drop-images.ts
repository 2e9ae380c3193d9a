import type { ImageBlock, MediaBlock, Transcript, TranscriptBlock, TranscriptMessage } from '../core/index.ts';
import { mapped } from './walk-strings.ts';

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
