import { expiringItem } from '@/lib/storage'

/**
 * Until when the deletion of an account can be taken back, kept in the tab that asked for it: the person is signed
 * out by then, and the sign-in page says it. It expires after an hour; the email says it for longer.
 */
const item = expiringItem('fledge_account_deletion', 60 * 60_000)

export const deletionNotice = {
  /** The moment in ISO 8601; null when this tab has not asked to delete an account. */
  get(): string | null {
    const eraseAt = item.get()
    return typeof eraseAt === 'string' && !Number.isNaN(Date.parse(eraseAt)) ? eraseAt : null
  },
  set: (eraseAt: string) => item.set(eraseAt),
  remove: () => item.remove(),
}
