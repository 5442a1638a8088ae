import { SectionLinks } from '../../kit/section-links.tsx';
import { useApp } from '../../session/app.ts';

const sections = [
  { address: '#/settings', name: 'Project', scope: 'project:read' },
  { address: '#/settings/limits', name: 'Limits and retention', scope: 'project:read' },
  { address: '#/settings/tokens', name: 'API tokens', scope: 'tokens:read' },
  { address: '#/settings/members', name: 'Members', scope: 'members:read' },
  { address: '#/settings/secrets', name: 'Secrets', scope: 'secrets:read' },
  { address: '#/settings/configuration', name: 'Configuration', scope: 'monitors:read' },
  { address: '#/settings/audit', name: 'Audit log', scope: 'audit:read' },
];

/** The sections of the settings that the token may see. */
export function SettingSections() {
  const { can } = useApp();
  return <SectionLinks label="Settings" links={sections.filter(({ scope }) => can(scope))} />;
}
