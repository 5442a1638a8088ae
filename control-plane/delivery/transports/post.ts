import type { Tone } from '../../platform/design/tones.ts';

/** What is posted in a chat, not yet escaped or cut for a service. */
export type ChatPost = {
  tone: Tone;
  title: string;
  lines: readonly string[];
  links: readonly { title: string; url: string }[];
};
