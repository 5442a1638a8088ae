import { useState } from 'preact/hooks';
import { foldForSearch } from '#shared/search-folding.ts';
import type { OwnProject } from '../session/session.ts';
import { ProjectLinks } from './project-links.tsx';

const filteredFrom = 8;

/** The projects of a person, with a filter where there are many. */
export function ProjectSwitcher({ projects, current }: { projects: readonly OwnProject[]; current: string }) {
  const [text, setText] = useState('');
  const words = foldForSearch(text).split(/\s+/).filter(Boolean);
  const found = projects.filter(({ name }) => words.every(word => foldForSearch(name).includes(word)));
  return (
    <nav class="switcher" aria-label="Projects">
      {projects.length >= filteredFrom && (
        <label class="field">
          <span class="label">Find a project</span>
          <input type="search" value={text} onInput={event => setText(event.currentTarget.value)} />
        </label>
      )}
      <ProjectLinks projects={found} current={current} />
      {found.length === 0 && <p class="empty">Nothing matches.</p>}
    </nav>
  );
}
