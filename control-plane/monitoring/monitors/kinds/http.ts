import { z } from 'zod';
import { encodedUrl, urlError } from '../url.ts';
import type { Kind } from './kind.ts';

/** It has no object of its own: its fields are those that only it takes. */
export const http: Kind<null> = {
  kind: 'http',
  schemes: ['http:', 'https:'],
  own: z.null(),
  intervalMin: 10,
  intervalMax: 86_400,
  withoutAgents: null,
  assertions: ['status', 'body_contains', 'header', 'json_path', 'http_version', 'tls_version', 'addresses'],
  hasCertificate: true,
  egress: 'whole',
  takesAuth: true,
  takesHttpVersion: true,
  encodedUrl,
  urlError,
  errors: () => [],
  needs: () => [],
  check: () => null,
};
