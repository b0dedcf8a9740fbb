-- Our side of the demo's conversations follows when these are there: when that was done.
alter table installation add column demo_replied_at timestamptz;
-- What was filled before there were replies stays as people know it.
update installation set demo_replied_at = demo_filled_at;
