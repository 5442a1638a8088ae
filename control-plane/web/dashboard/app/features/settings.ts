// Views of settings, of the installation and of oneself, which are fetched together.

export { AuditLog } from './audit/audit.tsx';
export { Configuration } from './configuration/configuration.tsx';
export { InstallationAudit } from './installation/audit.tsx';
export { NewProject } from './installation/new-project.tsx';
export { People } from './installation/people.tsx';
export { Person } from './installation/person.tsx';
export { Projects } from './installation/projects.tsx';
export { SignInChecks } from './installation/sign-in.tsx';
export { Me } from './me/me.tsx';
export { Members } from './members/members.tsx';
export { Secrets } from './secrets/secrets.tsx';
export { Limits } from './settings/limits.tsx';
export { ProjectSettings } from './settings/project.tsx';
export { Tokens } from './settings/tokens.tsx';
