-- The session at the identity provider by which somebody signed in: the provider says when it ends.
alter table sessions add column provider_sid text collate "C";
create index on sessions (provider_sid) where provider_sid is not null;
