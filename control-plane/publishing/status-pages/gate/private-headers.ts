import { noticeSecurityPolicy } from '../render/layout.ts';

type Headers = Record<string, string | number>;

/** Of every answer about a private page: nobody else keeps it, lists it, frames it or reads it from another site. */
const closed: Headers = {
  'X-Robots-Tag': 'noindex, nofollow',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Of documents. */
export function privateHeaders(contentType: string): Headers {
  const isRendered = contentType.startsWith('text/html') || contentType.startsWith('image/svg');
  return {
    ...closed,
    'Content-Type': contentType,
    'Cache-Control': 'private, no-cache',
    Vary: 'Cookie, Accept-Encoding',
    ...(isRendered ? { 'Content-Security-Policy': noticeSecurityPolicy } : {}),
  };
}

/** Of refusals. */
export const refusalHeaders: Headers = {
  ...closed,
  'Cache-Control': 'no-store',
  Vary: 'Cookie, Accept, Accept-Language',
};

/** Of a redirect that only this visitor gets. */
export function redirectHeaders(location: string): Headers {
  return { ...refusalHeaders, Location: location, 'Content-Length': 0 };
}
