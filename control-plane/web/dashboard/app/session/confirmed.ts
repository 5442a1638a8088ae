const channelName = 'upquorum confirmation';
/** Says to the dashboard's other windows how a visit to the identity provider ended; null: well. */
export function sayConfirmed(error: string | null): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage({ error });
  channel.close();
}

/** Calls `hear` when a window says how its visit ended. Returns what stops it. */
export function onConfirmed(hear: (error: string | null) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<{ error: string | null }>) => hear(data.error);
  return () => channel.close();
}
