import { sampleAlert } from '#control-plane/on-call/channels/types/http/sample.ts';

/** Where a message about the sample alert leads. */
export const sampleUrl = `https://up.example/#/alerts/${sampleAlert.id}`;

/** What a message says of the sample alert when it opens. */
export const sampleLines = [
  'expected 200, got 503',
  'P1 · 2 of 3 regions failing (quorum 2): eu-west, us-east',
  'Since 2026-11-22 09:30:00 UTC',
  'Monitor: Checkout (shop.example.com)',
];
