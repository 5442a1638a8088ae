-- From when on storing events may pass over links that are stored: a control plane of a version before removes links
-- without holding this row, and is gone a day after an upgrade.
alter table session_link_passes
  add column known_from timestamptz(3) not null default now() + interval '25 hours';
