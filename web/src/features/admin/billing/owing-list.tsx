import type { Finances } from '@/lib/api/types'
import { twoDecimals, whole } from '@/lib/numbers'
import { PersonLink } from '../people/person-link'
import { StateBadge } from '../people/state-badge'
import styles from './billing-view.module.css'

/** The accounts whose payments went back, those first that owe the most. */
export function OwingList({ accounts }: { accounts: Finances['owing'] }) {
  if (accounts.length === 0) return <p className={styles.quiet}>No payment has gone back.</p>
  return (
    <>
      <p className={styles.quiet}>
        Credits that were spent before their payment went back are written off: no later payment
        pays them.
      </p>
      <ul role="list" aria-label="Accounts">
        {accounts.map(({ userId, owed, disputes, userState }) => (
          <li key={userId} className={styles.case}>
            <p className={styles.words}>
              {twoDecimals(owed)} credits
              {disputes > 0 && ` · ${whole(disputes)} disputed`}
            </p>
            <span>
              <PersonLink person={userId}>Person</PersonLink>
              {userState && (
                <>
                  {' '}
                  <StateBadge user={{ state: userState }} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
