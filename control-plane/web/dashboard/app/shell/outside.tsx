import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Mark } from '../kit/icon.tsx';
import type { OwnProject, Person } from '../session/session.ts';
import { pathOfProject } from '../session/tab-project.ts';

/** A page of the dashboard outside of every project. */
export function Outside({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Upquorum`;
  }, [title]);
  return (
    <main class="sign-in">
      <p class="brand-line">
        <Mark />
        Upquorum
      </p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}

type PlacelessProps = {
  person: Person;
  projects: readonly OwnProject[];
  /** The name of the project that was left, empty where it is not known; null where there never was one. */
  left: string | null;
  signOut(): void;
};

/** What a person sees who is in no project, or not in the one that the address names. */
export function Placeless({ person, projects, left, signOut }: PlacelessProps) {
  const title = left === null ? 'You are in no project' : `You are no longer a member of ${left || 'this project'}`;
  return (
    <Outside title={title}>
      {projects.length > 0 ? (
        <>
          <p>Open another of your projects:</p>
          <nav aria-label="Projects">
            <ProjectLinks projects={projects} />
          </nav>
        </>
      ) : (
        <p>Ask an admin of a project to invite you: they make a link in Settings › Members or over the API.</p>
      )}
      <p class="hint">Signed in as {person.name}.</p>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </Outside>
  );
}

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
