import type { ComponentChildren } from 'preact';
import { Page } from '../../kit/page.tsx';
import { SectionLinks } from '../../kit/section-links.tsx';
import { useApp } from '../../session/app.ts';

const sections = [
  { address: '#/installation', name: 'People' },
  { address: '#/installation/projects', name: 'Projects' },
  { address: '#/installation/sign-in', name: 'Sign-in' },
  { address: '#/installation/audit', name: 'Audit log' },
];

export function InstallationSections() {
  return <SectionLinks label="Installation" links={sections} />;
}

/** A view for those who run the installation; to others it says so, and asks the server for nothing. */
export function ForOperators({ title, children }: { title: string; children: ComponentChildren }) {
  const { session } = useApp();
  if (session.person?.operator === true) return children;
  return (
    <Page title={title} freshness={{ asOf: 0, error: null }}>
      <p class="empty">Only people who run the installation see this.</p>
    </Page>
  );
}
