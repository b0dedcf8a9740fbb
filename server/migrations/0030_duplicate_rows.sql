-- The rows that have a phone number or an email address of an earlier row of their file: a bit for each row that is not blank, in
-- their order. Null until the file has been read.
alter table imports add column duplicates bytea;
update imports
   set options = (options - 'existing')
     || jsonb_build_object('onExisting', options -> 'existing', 'triggerAutomations', false);
-- Rows of a dry run no longer depend on those before them.
drop table import_handles;
-- The deletion of a tenant no longer has a step for them: those that began before go on with the step at which they are.
update jobs set step = step - 1 where kind = 'delete_tenant' and step > 15 and ended_at is null;
