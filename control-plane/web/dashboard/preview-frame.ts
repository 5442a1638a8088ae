import { createHash } from 'node:crypto';

/**
 * Shows the HTML that the dashboard sends it. Replacing the root keeps the policy of this document, and scripts in the
 * HTML do not run: they would need the hash. Links and forms lead nowhere.
 */
const script = `
addEventListener('message', ({ data, source }) => {
  if (source !== parent || typeof data?.html !== 'string') return;
  const { scrollTop } = document.documentElement;
  const next = new DOMParser().parseFromString(data.html, 'text/html');
  for (const link of next.querySelectorAll('link')) link.remove();
  document.replaceChild(document.adoptNode(next.documentElement), document.documentElement);
  document.documentElement.scrollTop = scrollTop;
});
for (const kind of ['click', 'submit', 'auxclick']) addEventListener(kind, event => {
  if (kind === 'submit' || event.target.closest('a, button') !== null) event.preventDefault();
}, true);
parent.postMessage('preview ready', '*');
`;

const hash = createHash('sha256').update(script).digest('base64');

/** `sandbox` without `allow-same-origin`: the document has no origin, so no cookie and no storage is its own. */
export const frameHeaders: Record<string, string> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

export const framePage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<title>Preview</title><script>${script}</script></head><body></body></html>
`;
