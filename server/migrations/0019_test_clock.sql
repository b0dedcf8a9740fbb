-- Test tenants have a clock of their own, and their work has a share of its own: see engine/test-clock.ts.

insert into slots (slot) values (-1);

alter table tenants
  add column clock timestamptz,
  -- Where the clock is on its way to. It stays until all that is due by then has happened, whichever process does it.
  add column clock_target timestamptz,
  -- Whoever has an id sees by its version whether it is a test tenant's.
  add constraint tenants_clock check ((clock is not null) = (substr(id::text, 15, 1) = '8')),
  add constraint tenants_clock_target check (clock_target is null or clock_target >= clock);
create index tenants_with_clock on tenants (id) where clock is not null;
