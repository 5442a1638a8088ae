import { createHash } from 'node:crypto';

/** What a stream holds: results of checks, or events. */
export const intakeKinds = ['results', 'events'] as const;
export type IntakeKind = (typeof intakeKinds)[number];

/** One stream of the broker: a part of the shards of a kind. `name` is also that of its lease and its position. */
export type IntakeStream = { name: string; kind: IntakeKind; subjects: readonly string[] };

/** The same for ever: a shard may move to another stream, but a key never to another shard. */
export const shardCount = 256;
const shardsPerStream = 32;
export const streamsPerKind = shardCount / shardsPerStream;

/** Pure: the shard of a project's events. */
export function shardOf(key: string): number {
  return createHash('sha256').update(key).digest()[0] ?? 0;
}

/** Pure: the shard by whose subject messages reach a stream, given its place among those of its kind. */
export function firstShardOf(stream: number): number {
  return stream * shardsPerStream;
}

/** Pure: the subject of a shard. The prefix keeps installations apart that share a server. */
export function subjectOf(prefix: string, kind: IntakeKind, shard: number): string {
  return `${prefix}.${kind}.${shard}`;
}

/** Pure: every stream of an installation. */
export function streamsOf(prefix: string): IntakeStream[] {
  const parts = Array.from({ length: streamsPerKind }, (_, part) => part);
  return intakeKinds.flatMap(kind =>
    parts.map(part => ({
      name: `${prefix}-${kind}-${part}`,
      kind,
      subjects: Array.from({ length: shardsPerStream }, (_, index) =>
        subjectOf(prefix, kind, part * shardsPerStream + index),
      ),
    })),
  );
}
