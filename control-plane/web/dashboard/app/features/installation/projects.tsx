import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Page } from '../../kit/page.tsx';
import { read } from '../../session/api.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { pathOfProject } from '../../session/tab-project.ts';
import { NewProject } from './new-project.tsx';
import { ForOperators, InstallationSections } from './sections.tsx';

type Project = { id: string; name: string; role: string | null };

/** Every project: an operator sees nothing inside of one without joining, which its members see. */
export function Projects() {
  return (
    <ForOperators title="Projects">
      <ProjectList />
    </ForOperators>
  );
}

function ProjectList() {
  const { api } = useApp();
  const [open, setOpen] = useState<'new' | Project | null>(null);
  const load = useLoad('', () => read(api.client.GET('/v0/projects', { params: { query: { all: 'true' } } })), 30_000);
  const close = () => setOpen(null);
  return (
    <Page
      title="Projects"
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        <button type="button" class="primary" onClick={() => setOpen('new')}>
          New project
        </button>
      }
    >
      <InstallationSections />
      {load.value?.data.length === 0 && <p class="empty">No project yet.</p>}
      <ul class="cards" aria-label="Projects">
        {load.value?.data.map(project => (
          <Row key={project.id} project={project} join={() => setOpen(project)} />
        ))}
      </ul>
      {open === 'new' && <NewProject close={close} />}
      {open !== null && open !== 'new' && <Join project={open} close={close} />}
    </Page>
  );
}

function Row({ project: { id, name, role }, join }: { project: Project; join(): void }) {
  return (
    <li class="card row wall-row" data-row>
      <div class="what">
        <strong>{name}</strong>
        <code class="hint">{id}</code>
      </div>
      {role !== null && <span class="tag">{role}</span>}
      <div class="do">
        {role === null ? (
          <button type="button" class="quiet" aria-label={`Join ${name}`} onClick={join}>
            Join…
          </button>
        ) : (
          <a href={pathOfProject(id)} aria-label={`Open ${name}`}>
            Open
          </a>
        )}
      </div>
    </li>
  );
}

function Join({ project: { id, name }, close }: { project: Project; close(): void }) {
  const { api } = useApp();
  const work = async (): Promise<void> => {
    await api.client.POST('/v0/projects/{id}/join', { params: { path: { id } } });
    location.assign(pathOfProject(id));
  };
  return (
    <ConfirmDialog title={`Join ${name}?`} button="Join as admin" close={close} work={work}>
      <p>You become an admin of the project. Its members see that, in the list of members and in the audit log.</p>
    </ConfirmDialog>
  );
}
