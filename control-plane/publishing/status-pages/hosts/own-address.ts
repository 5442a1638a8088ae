/** Where a page is: at its own domain, or below the installation's address. */
export type Addressed = { slug: string; domain?: string | null };

/** Origin of a page's own domain. */
export function domainOrigin(baseUrl: string, domain: string): string {
  const { protocol, port } = new URL(baseUrl);
  return protocol === 'https:' ? `https://${domain}` : `http://${domain}${port === '' ? '' : `:${port}`}`;
}

/** Absolute address of a page, without a slash at its end. */
export function pageUrl(baseUrl: string, { slug, domain = null }: Addressed): string {
  return domain === null ? `${baseUrl}/status/${slug}` : domainOrigin(baseUrl, domain);
}
