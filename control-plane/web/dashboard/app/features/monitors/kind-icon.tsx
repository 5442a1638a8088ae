import type { Kind } from './editor/kind-draft.ts';

/** Outlines of one path in a 16 × 16 view box. They stand beside the word, and are no words of their own. */
const outlines: Readonly<Record<Kind, string>> = {
  http: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13ZM1.5 8h13M8 1.5c-4 4-4 9 0 13c4-4 4-9 0-13',
  tcp: 'M5 1.5V6M11 1.5V6M3 6h10v2a5 5 0 0 1-10 0ZM8 13v2',
  tls: 'M3 7h10v7H3ZM5 7V4.5a3 3 0 0 1 6 0V7',
  dns: 'M8 1.5v13M3 3h8l2 2-2 2H3ZM13 9H6l-2 2 2 2h7Z',
  ping: 'M7.9 8h.2M5 11a4.2 4.2 0 0 1 0-6M11 5a4.2 4.2 0 0 1 0 6M3 13a7 7 0 0 1 0-10M13 3a7 7 0 0 1 0 10',
  grpc: 'M2 5.5h11l-3-3M14 10.5H3l3 3',
  websocket: 'M4.5 5 1.5 8l3 3M11.5 5l3 3-3 3M1.5 8h13',
  heartbeat: 'M1 8h3.5l2-5 3 10 2-5H15',
  domain: 'M2 2h6l6 6-6 6-6-6ZM5.4 5.4h.2',
  events: 'M2.5 14V9M6.2 14V4M9.8 14v-3M13.5 14V2',
  multistep: 'M2.5 3.5h.2M2.5 8h.2M2.5 12.5h.2M6 3.5h8M6 8h8M6 12.5h8',
};

/** A sign for the kind of a monitor. */
export function KindIcon({ kind }: { kind: Kind }) {
  return (
    <svg class="kind-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={outlines[kind]} />
    </svg>
  );
}
