import type { Choices } from '../../kit/labels.ts';
import { AuditOf } from '../audit/audit.tsx';
import { ForOperators, InstallationSections } from './sections.tsx';

const actors: Choices = [
  ['', 'all'],
  ['operator', 'the operator'],
];

/** What belongs to no project: who runs the installation, who signed in, whose sign-in was refused. */
export function InstallationAudit() {
  return (
    <ForOperators title="Audit log">
      <AuditOf
        path="/v0/installation/audit"
        readActors={async () => actors}
        crumbs={[{ label: 'Installation', address: '#/installation' }]}
        sections={<InstallationSections />}
      />
    </ForOperators>
  );
}
