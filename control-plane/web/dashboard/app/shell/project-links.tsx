import type { OwnProject } from '../session/session.ts';
import { pathOfProject } from '../session/tab-project.ts';

/** Links to projects. They load the page again, so that nothing of one project is left in another. */
export function ProjectLinks({ projects, current }: { projects: readonly OwnProject[]; current?: string }) {
  return (
    <ul class="projects">
      {projects.map(({ id, name, role }) => (
        <li key={id}>
          <a href={pathOfProject(id)} aria-current={id === current ? 'true' : undefined}>
            <span>{name}</span> <span class="hint">{role}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
