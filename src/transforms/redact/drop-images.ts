import type { ImageBlock, MediaBlock, Transcript, TranscriptBlock } from '../../model/transcript.ts';

/** The transcript and all below it without the bytes of images: nobody can look for secrets in a picture. Sizes stay. */
export function dropImages(transcript: Transcript): Transcript {
  return {
    ...transcript,
    messages: transcript.messages.map((message) => ({ ...message, content: message.content.map(withoutBytes) })),
    sub_agents: transcript.sub_agents.map(dropImages),
  };
}

function withoutBytes(block: TranscriptBlock): TranscriptBlock {
  if (block.type === 'image') return emptied(block);
  if (block.type !== 'tool_result' || block.media === undefined) return block;
  return { ...block, media: block.media.map((media): MediaBlock => (media.type === 'image' ? emptied(media) : media)) };
}

const emptied = (image: ImageBlock): ImageBlock => ({ ...image, data: null });
