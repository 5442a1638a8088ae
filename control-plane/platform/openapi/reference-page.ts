import { html } from '../markup/html.ts';

/**
 * The viewer sets styles on its elements and has its icons in its style sheet. It loads nothing from elsewhere, and
 * nothing may embed it.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

export const referenceHeaders: Record<string, string> = {
  'Content-Security-Policy': policy.join('; '),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** The API reference: a viewer over the OpenAPI document. The version badge is hidden: it would be that of its copy. */
export function referencePage(): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference – Upquorum</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>.swagger-ui .info .title small.version-stamp { display: none }</style>
<script src="/docs/swagger-ui.js" defer></script>
<script src="/docs/start.js" defer></script>
</head>
<body>
<noscript>
<p>The reference requires JavaScript. The document is at <a href="/v0/openapi.json">/v0/openapi.json</a>.</p>
</noscript>
<div id="reference"></div>
</body>
</html>
`.toString();
}

/** What the viewer reads; people are pointed to `/v0/openapi.json`, which programs read. */
export const viewerPath = '/docs/openapi.json';

/** A token typed into the viewer stays in the page: it is forgotten when the page is left. */
export const startScript = `
document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
SwaggerUIBundle({
  dom_id: '#reference',
  url: '/v0/openapi.json',
  requestInterceptor: request => (request.loadSpec ? { ...request, url: '${viewerPath}' } : request),
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;
