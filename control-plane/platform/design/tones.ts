import type { Impact, ShownStatus } from '#shared/vocabulary.ts';

/** The meaning of a colour and a shape; also the suffix of its class in style sheets. `none`: no data. */
export const tones = ['ok', 'slow', 'part', 'down', 'work', 'none', 'note'] as const;
export type Tone = (typeof tones)[number];

export const statusTones = {
  operational: 'ok',
  degraded_performance: 'slow',
  partial_outage: 'part',
  major_outage: 'down',
  under_maintenance: 'work',
  unknown: 'none',
} as const satisfies Record<ShownStatus, Tone>;

export const impactTones = {
  none: 'note',
  degraded: 'slow',
  partial: 'part',
  major: 'down',
} as const satisfies Record<Impact, Tone>;
