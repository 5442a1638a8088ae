import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Answer, Transact } from './endpoint.ts';

/** Sends an answer whose length is known. */
export function send(context: Context, { status, headers = {}, text, body }: Answer): void {
  context.status = status;
  context.set(headers);
  if (text !== undefined) {
    context.type = text.type;
    context.body = text.content;
    return;
  }
  if (body === undefined) return;
  context.type = 'application/json';
  context.body = JSON.stringify(body);
}

/** For the streams of endpoints that read by themselves. */
export const noTransaction: Transact = () => Promise.reject(new Error('this endpoint reads by itself'));

/** What was sent cannot be taken back: after an error the connection ends, so that the client sees it. */
export function sendStream(context: Context, { type, lines }: NonNullable<Answer['stream']>, transact: Transact): void {
  context.type = type;
  const body = Readable.from(lines(transact), { objectMode: false });
  body.once('error', error => {
    // A client that is gone has ended its stream itself.
    if (!context.res.destroyed) context.app.emit('error', error, context);
    context.res.destroy();
  });
  context.body = body;
}
