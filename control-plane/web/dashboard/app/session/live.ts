import { type ReadonlySignal, signal } from '@preact/signals';
import { type Change, startLive, type Topic } from './change-stream.ts';

/** The ids of what changed; null: anything may have. */
export type Changed = ReadonlySet<string> | null;
type Listener = (changed: Changed) => void;

/** What changes on the server, for the views that show it. */
export type LiveChanges = {
  /** Whether changes arrive as they happen. Without them views look for themselves. */
  isLive: ReadonlySignal<boolean>;
  /** Calls back with what changed of these topics; with null when changes may have been missed. */
  on(topics: readonly Topic[], listener: Listener): () => void;
  stop(): void;
};

/** Outside of projects: views look for themselves. */
export const noLiveChanges: LiveChanges = { isLive: signal(false), on: () => () => {}, stop: () => {} };

export function openLiveChanges(options: {
  csrfToken(): string;
  projectId?: string | null;
  signedOut(): void;
  notMember?(): void;
}): LiveChanges {
  const isLive = signal(false);
  const listeners = new Set<{ topics: readonly Topic[]; listener: Listener }>();
  const live = startLive({
    ...options,
    onChange: ({ topic, ids }: Change) => {
      for (const { topics, listener } of listeners)
        if (topics.includes(topic)) listener(ids === null ? null : new Set(ids));
    },
    onState: state => {
      isLive.value = state;
      if (state) for (const { listener } of listeners) listener(null);
    },
  });
  return {
    isLive,
    on: (topics, listener) => {
      const entry = { topics, listener };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    stop: live.stop,
  };
}
