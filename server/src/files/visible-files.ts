/** Parameters of a statement, each with its type. */
interface VisibleTo {
  tenant: string;
  channelIds: string;
  userId: string;
}

const FILE_IDS = `'$.**.fileId'`;

/**
 * The condition that a caller who is restricted to channels sees the file `f`: an own upload, or used by something that the caller
 * sees. What uses few files is read once, not for each file.
 */
export const isVisibleFile = ({ tenant, channelIds, userId }: VisibleTo): string => `(
  f.uploaded_by = ${userId}
  or f.message_id is not null and exists (
    select 1 from visible_messages m
     where m.id = f.message_id and (m.tenant_id = f.tenant_id) is true and m.channel_id = any (${channelIds}))
  or f.message_id is null and (
    exists (
      select 1 from visible_messages m
       where m.media @> jsonb_build_array(jsonb_build_object('fileId', f.id)) and m.media <> '[]'::jsonb
         and m.sender = 'outbound' and (m.tenant_id = f.tenant_id) is true and m.channel_id = any (${channelIds}))
    or f.id::text in (
      select media.file ->> 'fileId' from saved_replies s cross join jsonb_array_elements(s.media) as media (file)
       where s.tenant_id = ${tenant} and (s.channel_ids = '{}' or s.channel_ids && ${channelIds}))
    or f.id::text in (
      select jsonb_path_query(jsonb_build_array(c.template_header, c.message), ${FILE_IDS}) #>> '{}' from visible_campaigns c
       where c.channel_id = any (${channelIds}) and c.tenant_id = ${tenant})
    or f.id::text in (
      select jsonb_path_query(v.definition, ${FILE_IDS}) #>> '{}' from automations a
        join automation_versions v on v.id in (a.active_version_id, a.latest_version_id) and v.tenant_id = a.tenant_id
       where a.tenant_id = ${tenant} and not a.is_hidden)))`;
