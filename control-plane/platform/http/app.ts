import Router from '@koa/router';
import Koa from 'koa';
import { errorCode } from '#shared/error-code.ts';
import type { Logger } from '#shared/log.ts';
import type { Endpoint } from './endpoint/endpoint.ts';
import type { EndpointServices } from './endpoint/endpoint-services.ts';
import { methodNotAllowed } from './endpoint/method-not-allowed.ts';
import { serveEndpoint } from './endpoint/serve-endpoint.ts';
import { logRequests } from './middleware/access-log.ts';
import { catchProblems } from './middleware/catch-problems.ts';
import { compressAnswers } from './middleware/compress-answers.ts';
import { allowOrigins, answerPreflight, corsPaths } from './middleware/cors.ts';
import { refuseMalformed } from './middleware/refuse-malformed.ts';
import { type RequestState, setRequestId } from './middleware/request-id.ts';
import { addPages, type PageServices } from './pages.ts';

export type HttpServices = EndpointServices &
  PageServices & {
    log: Logger;
    /** What else is served without a token: each adds its own routes. */
    publicRoutes: readonly ((router: Router) => void)[];
  };

/** The whole HTTP interface, as one middleware per concern. The order matters: each handles what is thrown below it. */
export function createApp(endpoints: readonly Endpoint[], services: HttpServices): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use(setRequestId);
  app.use(logRequests(services));
  app.use(catchProblems(services));
  app.use(allowOrigins(corsPaths(endpoints)));
  app.use(refuseMalformed);
  app.use(compressAnswers);
  app.use(createRouter(endpoints, services).routes());
  app.use(methodNotAllowed);
  app.on('error', error => {
    // A client that leaves before it has its answer is nobody's fault.
    const level = errorCode(error) === 'ERR_STREAM_PREMATURE_CLOSE' ? 'debug' : 'error';
    services.log[level]({ err: error }, 'request failed outside the handler');
  });
  return app;
}

function createRouter(endpoints: readonly Endpoint[], services: HttpServices): Router {
  const router = new Router({ sensitive: true, strict: true });
  for (const endpoint of endpoints) {
    const pattern = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
    router.register(pattern, [endpoint.method], serveEndpoint(endpoint, services));
  }
  addPages(router, services);
  for (const add of services.publicRoutes) add(router);
  for (const path of corsPaths(endpoints)) router.options(path, answerPreflight);
  return router;
}
