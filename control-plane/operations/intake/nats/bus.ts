import type { NatsConnection } from '@nats-io/transport-node';
import { type Channel, channels, type Listening } from '../../../platform/db/listen.ts';

/** What NOTIFY does, by the broker: it reaches processes without a connection to the database, and may be lost. */
export function busOf(connection: NatsConnection, prefix: string) {
  const subjectOf = (channel: Channel) => `${prefix}.bus.${channel}`;
  return {
    notify: (channel: Channel, payload: string) => {
      // The client throws then, where nobody would catch it: in the database's event.
      if (!connection.isClosed()) connection.publish(subjectOf(channel), payload);
    },
    subscribe: (listening: Listening): AsyncDisposable => {
      let isOver = false;
      const subscriptions = channels.flatMap(channel => {
        const call = listening[channel];
        if (call === undefined) return [];
        const callback = (error: Error | null, message: { string(): string }) => {
          if (error === null) call(message.string());
        };
        return [connection.subscribe(subjectOf(channel), { callback })];
      });
      const statuses = connection.status();
      const watching = (async () => {
        for await (const { type } of statuses) {
          if (isOver) return;
          if (type === 'reconnect') for (const call of Object.values(listening)) call('');
        }
      })();
      watching.catch(() => {});
      for (const call of Object.values(listening)) call('');
      return {
        [Symbol.asyncDispose]: async () => {
          isOver = true;
          for (const subscription of subscriptions) subscription.unsubscribe();
        },
      };
    },
  };
}
