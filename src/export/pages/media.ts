import type { MediaBlock } from '../../core/index.ts';
import { describeMedia } from '../../core/transcript/index.ts';
import { html, type Markup } from './markup.ts';

/** Pictures that can hold nothing but a picture. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** An image as it was seen, where its bytes are here; everything else in words. */
export function renderMedia(media: MediaBlock): Markup {
  const said = describeMedia(media);
  if (media.type === 'image' && media.data !== null && PICTURES.test(media.media_type) && BASE64.test(media.data))
    return html`<img src="${`data:${media.media_type};base64,${media.data}`}" alt="${said}">`;
  return html`<p class="note">▣ attached: ${said}</p>`;
}
