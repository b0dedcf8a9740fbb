/**
 * SQL that is true of a version with runs that have not ended. Runs stay on the version with which they began, also after another was
 * published or the automation was stopped, and a campaign on the one with which it started.
 */
export const hasUnfinishedRuns = (version: string): string =>
  `(exists (select 1 from visible_automation_runs r
             where r.version_id = ${version}.id and (r.tenant_id = ${version}.tenant_id) is true
               and r.status in ('scheduled', 'running', 'waiting'))
    or exists (select 1 from visible_campaigns c
                where c.version_id = ${version}.id and c.tenant_id = ${version}.tenant_id and c.status in ('running', 'paused')))`;

/** SQL that is true of a version of an automation with which runs begin or go on. */
export const isInUse = (automation: string, version: string): string =>
  `(${automation}.status = 'active' and ${version}.id = ${automation}.active_version_id or ${hasUnfinishedRuns(version)})`;
