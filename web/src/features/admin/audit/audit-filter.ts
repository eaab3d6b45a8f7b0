import type { AuditFilter } from '@/lib/api/admin-api'
import type { AuditAction } from '@/lib/api/types'
import { oneOf, searchOf } from '../parameters'

/** What staff can do, in words that follow a name: 'ada@… approved person@…'. */
export const actionWords: Record<AuditAction, string> = {
  'waitlist.added': 'added to the waitlist',
  'waitlist.approved': 'approved',
  'waitlist.removed': 'removed from the waitlist',
  'waitlist.imported': 'imported into the waitlist',
  'waitlist.resent': 'sent the approval email again to',
  'waitlist.approval_undone': 'undid the approval of',
  'waitlist.invitation_expired': 'ended the unused invitation of',
  'wave.started': 'began to approve many',
  'wave.paused': 'paused approving many',
  'wave.resumed': 'went on approving many',
  'wave.cancelled': 'stopped approving many',
  'wave.undone': 'undid the approval of many',
  'wave.channel_dropped': 'took back the update channel of many',
  'user.roles_changed': 'changed the roles of',
  'user.disabled': 'disabled',
  'user.enabled': 'enabled',
  'user.signed_out': 'signed out everywhere',
  'user.device_revoked': 'signed out a device of',
  'user.deletion_begun': 'began to delete',
  'user.address_changed': 'changed the address of',
  'user.second_factor_added': 'added a second factor to',
  'user.second_factor_removed': 'removed the second factor of',
  'user.recovery_codes_created': 'created recovery codes for',
  'user.second_factor_reset': 'reset the second factor of',
  'account.exported': 'exported the data of',
  'release.availability_changed': 'changed the availability of',
  'release.rollout_changed': 'changed the rollout of',
  'release.channel_changed': 'changed the channel of',
  'release.requirement_changed': 'changed whether apps need',
  'release.preview_link_created': 'made a preview link to',
  'release.preview_link_revoked': 'revoked a preview link to',
  'account.channel_changed': 'changed the update channel of',
  'ticket.opened': 'opened for a customer ticket',
  'ticket.updated': 'updated ticket',
  'ticket.edited': 'edited ticket',
  'ticket.note_added': 'added a note to ticket',
  'canned_answer.saved': 'saved the canned answer',
  'canned_answer.deleted': 'deleted the canned answer',
  'credits.adjusted': 'adjusted the credits of',
  'renewal.allowed': 'allowed renewing the plan of',
  'renewal.stopped': 'stopped renewing the plan of',
  'price.agreed': 'agreed on the price',
  'price.dropped': 'dropped the price',
  'billing_case.accepted': 'accepted as it is',
  'billing_case.granted': 'gave credits for',
  'billing_case.ignored': 'ignored',
  'billing_case.retried': 'tried again',
  'stripe_account.moved': 'moved billing to',
  'dead_letter.redriven': 'handed out again the event',
  'dead_letter.dropped': 'deleted the event',
  'mail.resent': 'sent again the email',
  'mail.dropped': 'deleted the email',
  'mail.tested': 'sent a test of the email',
}

/** The same as choices of a filter. */
export const actionNames: Record<AuditAction, string> = {
  'waitlist.added': 'Added to the waitlist',
  'waitlist.approved': 'Approved',
  'waitlist.removed': 'Removed from the waitlist',
  'waitlist.imported': 'Imported a list',
  'waitlist.resent': 'Sent an approval email again',
  'waitlist.approval_undone': 'Undid an approval',
  'waitlist.invitation_expired': 'Ended an unused invitation',
  'wave.started': 'Began to approve many',
  'wave.paused': 'Paused approving many',
  'wave.resumed': 'Went on approving many',
  'wave.cancelled': 'Stopped approving many',
  'wave.undone': 'Undid the approval of many',
  'wave.channel_dropped': 'Took back the update channel of many',
  'user.roles_changed': 'Changed roles',
  'user.disabled': 'Disabled an account',
  'user.enabled': 'Enabled an account',
  'user.signed_out': 'Signed somebody out',
  'user.device_revoked': 'Signed out a device',
  'user.deletion_begun': 'Began to delete an account',
  'user.address_changed': 'Changed an address',
  'user.second_factor_added': 'Added a second factor',
  'user.second_factor_removed': 'Removed a second factor',
  'user.recovery_codes_created': 'Created recovery codes',
  'user.second_factor_reset': 'Reset a second factor',
  'account.exported': 'Exported an account',
  'release.availability_changed': 'Changed availability',
  'release.rollout_changed': 'Changed a rollout',
  'release.channel_changed': 'Changed the channel of a release',
  'release.requirement_changed': 'Changed a required release',
  'release.preview_link_created': 'Made a preview link',
  'release.preview_link_revoked': 'Revoked a preview link',
  'account.channel_changed': "Changed a person's update channel",
  'ticket.opened': 'Opened a ticket for a customer',
  'ticket.updated': 'Updated a ticket',
  'ticket.edited': 'Edited a ticket',
  'ticket.note_added': 'Added a note',
  'canned_answer.saved': 'Saved a canned answer',
  'canned_answer.deleted': 'Deleted a canned answer',
  'credits.adjusted': 'Adjusted credits',
  'renewal.allowed': 'Allowed renewing a plan',
  'renewal.stopped': 'Stopped renewing a plan',
  'price.agreed': 'Agreed on a price',
  'price.dropped': 'Dropped a price',
  'billing_case.accepted': 'Accepted a case',
  'billing_case.granted': 'Gave credits for a case',
  'billing_case.ignored': 'Ignored a case',
  'billing_case.retried': 'Tried a case again',
  'stripe_account.moved': 'Moved billing',
  'dead_letter.redriven': 'Handed out an event again',
  'dead_letter.dropped': 'Deleted an event',
  'mail.resent': 'Sent an email again',
  'mail.dropped': 'Deleted an email',
  'mail.tested': 'Sent a test email',
}

export const actions = Object.keys(actionNames) as AuditAction[]

/** The view of the log, all of it in the address. Days are in the visitor's time zone. */
export interface AuditView {
  action: AuditAction | ''
  search: string
  /** The first and the last day, such as '2026-11-21'; empty for no bound. */
  from: string
  to: string
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Midnight at the begin of a day, or NaN for what is no day of the calendar. */
function startOf(day: string, after = 0): Date {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const start = new Date(year, month - 1, date + after)
  const real = new Date(year, month - 1, date)
  return DAY.test(day) && real.getMonth() === month - 1 && year >= 1970 ? start : new Date(NaN)
}

/** Whether `day` is one that can be filtered by; a year such as 0002 is one that is still being typed. */
export function isDay(raw: string): boolean {
  return !Number.isNaN(startOf(raw).getTime())
}

const dayOf = (raw: string | null): string => (raw !== null && isDay(raw) ? raw : '')

/** Parses the parameters of an address, which are untrusted: unknown values are ignored. */
export function parseView(params: Pick<URLSearchParams, 'get'>): AuditView {
  return {
    action: oneOf(actions, params.get('action')),
    search: searchOf(params.get('search') ?? ''),
    from: dayOf(params.get('from')),
    to: dayOf(params.get('to')),
  }
}

/** The API's filter: the days as timestamps, the last one included. */
export function filterOf({ action, search, from, to }: AuditView): AuditFilter {
  return {
    action,
    search: search.trim(),
    from: from && startOf(from).toISOString(),
    to: to && startOf(to, 1).toISOString(),
  }
}
