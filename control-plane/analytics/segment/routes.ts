import type Router from '@koa/router';
import type Koa from 'koa';
import { send } from '../../platform/http/endpoint/send-answer.ts';
import { type IngestServices, ingest } from '../events/ingest.ts';
import { segmentCalls, segmentForm } from './segment.ts';

/** The addresses of Segment's libraries for servers. Their form is Segment's: they are not in the API's document. */
export function addSegmentRoutes(router: Router, services: IngestServices): void {
  const intake = (form: ReturnType<typeof segmentForm>) => async (context: Koa.Context) => {
    const received = {
      request: context.req,
      path: context.path,
      query: {},
      authorization: bearerOf(context.get('authorization')),
      identified: (sender: unknown) => {
        context.state.sender = sender;
      },
    };
    send(context, await ingest(services, received, form));
  };
  router.post('/v1/batch', intake(segmentForm(null)));
  for (const call of segmentCalls) router.post(`/v1/${call}`, intake(segmentForm(call)));
}

/** The libraries send the key as the user name of Basic authentication. */
function bearerOf(header: string): string | undefined {
  const encoded = /^Basic +([\w+/=-]{1,2000})$/i.exec(header.trim())?.[1];
  if (encoded === undefined) return header === '' ? undefined : header;
  return `Bearer ${Buffer.from(encoded, 'base64').toString('utf8').split(':')[0] ?? ''}`;
}
